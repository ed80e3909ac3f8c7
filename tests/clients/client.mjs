// Margay in the Node client; see tests/clients/run. The argument is the folder with node_modules.
import assert from 'node:assert';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const {DuckDBInstance, version} = createRequire(process.argv[2] + '/')('@duckdb/node-api');

const instance = await DuckDBInstance.create(':memory:', {allow_unsigned_extensions: 'true'});
const connection = await instance.connect();
for (const statement of process.env.MARGAY_LOAD.split('\n')) {
  await connection.run(statement);
}

const read = (file) => readFileSync(`${process.env.MARGAY_CLIENT_SQL}/${file}`, 'utf8');
const rows = async (query) => {
  const reader = await connection.runAndReadAll(query);
  return {names: reader.columnNames(), types: reader.columnTypes().map(String), rows: reader.getRowsJson()};
};
const deviceExecutions = async () => {
  const counter = await rows("SELECT value FROM margay_counters() WHERE name = 'device_executions'");
  return BigInt(counter.rows[0][0]);
};

await connection.run(read('lineitem.sql'));
const q1 = read('q1.sql');

await connection.run("SET margay_mode = 'off'");
const wanted = await rows(q1);
const before = await deviceExecutions();
await connection.run("SET margay_mode = 'force'");
const found = await rows(q1);
await connection.run("SET margay_mode = 'off'");
assert.equal(wanted.rows.length, 4);
assert.deepStrictEqual(found, wanted);
assert.ok(await deviceExecutions() > before, 'the device did not run');

await assert.rejects(
    connection.run("SET margay_mode = 'sometimes'"),
    /margay_mode must be one of auto, force, off, not 'sometimes'/);
console.log('node: passed, DuckDB', version());
