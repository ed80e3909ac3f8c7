// Margay in the JDBC client; see tests/clients/run.

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

public class Client {
  private final Statement statement;

  private Client(Statement statement) {
    this.statement = statement;
  }

  /** Names and types in the first line, then the rows. */
  private List<String> rows(String query) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (ResultSet result = statement.executeQuery(query)) {
      int columns = result.getMetaData().getColumnCount();
      StringBuilder head = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        head.append(result.getMetaData().getColumnName(i)).append(' ');
        head.append(result.getMetaData().getColumnTypeName(i)).append('|');
      }
      lines.add(head.toString());
      while (result.next()) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          line.append(result.getObject(i)).append('|');
        }
        lines.add(line.toString());
      }
    }
    return lines;
  }

  private long deviceExecutions() throws SQLException {
    String query = "SELECT value FROM margay_counters() WHERE name = 'device_executions'";
    try (ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getLong(1);
    }
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AssertionError(message);
    }
  }

  private static String read(String file) throws Exception {
    return Files.readString(Path.of(System.getenv("MARGAY_CLIENT_SQL"), file));
  }

  private void run() throws Exception {
    for (String load : System.getenv("MARGAY_LOAD").split("\n")) {
      statement.execute(load);
    }
    statement.execute(read("lineitem.sql"));
    String q1 = read("q1.sql");

    statement.execute("SET margay_mode = 'off'");
    List<String> wanted = rows(q1);
    long before = deviceExecutions();
    statement.execute("SET margay_mode = 'force'");
    List<String> found = rows(q1);
    statement.execute("SET margay_mode = 'off'");
    check(wanted.size() == 5, "four rows were expected: " + wanted);
    check(found.equals(wanted), "forced: " + found + "\noff: " + wanted);
    check(deviceExecutions() > before, "the device did not run");

    String problem = "";
    try {
      statement.execute("SET margay_mode = 'sometimes'");
    } catch (SQLException exception) {
      problem = exception.getMessage();
    }
    check(problem.contains("margay_mode must be one of auto, force, off, not 'sometimes'"),
        "a bad setting was taken: " + problem);
  }

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("allow_unsigned_extensions", "true");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:", properties);
        Statement statement = connection.createStatement()) {
      new Client(statement).run();
      System.out.println("jdbc: passed, DuckDB " + connection.getMetaData().getDatabaseProductVersion());
    }
  }
}
