-- Margay in DuckDB's command line; client.sh runs this in the folder of the output and compares.
.mode list
SET margay_mode = 'off';
.once off.txt
.read q1.sql
.once before.txt
SELECT value FROM margay_counters() WHERE name = 'device_executions';
SET margay_mode = 'force';
.once forced.txt
.read q1.sql
SET margay_mode = 'off';
.once after.txt
SELECT value FROM margay_counters() WHERE name = 'device_executions';
