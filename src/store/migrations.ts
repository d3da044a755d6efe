/**
 * The schema of the store as numbered steps, which are only ever added. All missing steps run in
 * one write transaction, so any number of processes may start at once.
 */
import type { Driver, Sql, SqlTypes } from './sql-driver.ts';

interface Migration {
  readonly version: number;
  readonly statements: (types: SqlTypes) => readonly string[];
}

const OWNER = ({ text }: SqlTypes) => `org_id ${text} NOT NULL, project_id ${text} NOT NULL REFERENCES projects ON DELETE CASCADE`;

const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: (types) => {
      const { text, integer, bigint, tableEnd } = types;
      return [
        `CREATE TABLE organizations (
           org_id ${text} PRIMARY KEY, name ${text} NOT NULL, abbreviation ${text} NOT NULL UNIQUE,
           admin_email ${text}, admin_name ${text}, address ${text}, state ${text}, country ${text}, pin_code ${text},
           created_at ${text} NOT NULL, created_by ${text} NOT NULL)${tableEnd}`,
        `CREATE TABLE projects (
           project_id ${text} PRIMARY KEY, org_id ${text} NOT NULL REFERENCES organizations, name ${text} NOT NULL,
           abbreviation ${text} NOT NULL, description ${text} NOT NULL, created_at ${text} NOT NULL,
           UNIQUE (org_id, abbreviation))${tableEnd}`,
        `CREATE TABLE spaces (
           space_id ${text} PRIMARY KEY, ${OWNER(types)}, name ${text} NOT NULL, position ${integer} NOT NULL,
           UNIQUE (project_id, name))${tableEnd}`,
        `CREATE TABLE entries (
           entry_id ${text} PRIMARY KEY, ${OWNER(types)}, db_type ${text} NOT NULL, db_name ${text} NOT NULL, hosts ${text} NOT NULL,
           username ${text} NOT NULL, password ${text} NOT NULL, tls ${text} NOT NULL, ca ${text},
           connect_timeout_secs ${integer} NOT NULL, idle_timeout_secs ${integer} NOT NULL,
           max_open_connections ${integer} NOT NULL, max_idle_connections ${integer} NOT NULL, timeout_secs ${integer} NOT NULL,
           position ${integer} NOT NULL, UNIQUE (project_id, db_type, db_name))${tableEnd}`,
        `CREATE TABLE tokens (
           token_id ${text} PRIMARY KEY, hash ${text} NOT NULL UNIQUE, ${OWNER(types)},
           space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE, name ${text} NOT NULL, description ${text} NOT NULL,
           key_type ${text} NOT NULL, roles ${text} NOT NULL, user_id ${text} NOT NULL, feature_id ${text},
           created_at ${text} NOT NULL, expires_at ${text}, UNIQUE (project_id, name))${tableEnd}`,
        'CREATE INDEX tokens_space ON tokens (space_id)',
        `CREATE TABLE definitions (
           definition_id ${text} PRIMARY KEY, ${OWNER(types)}, space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE,
           uri ${text} NOT NULL, method ${text} NOT NULL, version ${text} NOT NULL, version_key ${text} NOT NULL,
           feature_id ${text} NOT NULL, user_id ${text} NOT NULL, rollback_version ${text}, document ${text} NOT NULL,
           password ${text}, revision ${text} NOT NULL, created_at ${text} NOT NULL, updated_at ${text} NOT NULL,
           last_failure_at ${text}, last_failure_message ${text},
           UNIQUE (space_id, uri, method, version))${tableEnd}`,
        'CREATE INDEX definitions_project ON definitions (project_id)',
        `CREATE TABLE lark_modules (
           space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE, module ${text} NOT NULL, ${OWNER(types)}, code ${text} NOT NULL,
           user_id ${text} NOT NULL, updated_at ${text} NOT NULL, revision ${text} NOT NULL, PRIMARY KEY (space_id, module))${tableEnd}`,
        'CREATE INDEX lark_modules_project ON lark_modules (project_id)',
        `CREATE TABLE changes (seq ${bigint} PRIMARY KEY, topic ${text} NOT NULL, key ${text} NOT NULL)${tableEnd}`,
        `CREATE TABLE secret_keys (kid ${text} PRIMARY KEY, added_at ${text} NOT NULL)${tableEnd}`,
        `CREATE TABLE instances (
           id ${text} PRIMARY KEY, lease_until ${bigint} NOT NULL, seen_seq ${bigint} NOT NULL)${tableEnd}`,
      ];
    },
  },
  {
    version: 2,
    // End of the time in which an instance may serve rights from memory; 0 for instances of older
    // versions.
    statements: ({ bigint }) => [`ALTER TABLE instances ADD COLUMN stale_until ${bigint} NOT NULL DEFAULT 0`],
  },
  {
    version: 3,
    // The uri without the names in its braces, by which an endpoint is found.
    statements: ({ text }) => [
      `ALTER TABLE definitions ADD COLUMN shape ${text} NOT NULL DEFAULT ''`,
      'UPDATE definitions SET shape = uri',
      'CREATE UNIQUE INDEX definitions_shape ON definitions (space_id, shape, method, version)',
    ],
  },
  {
    version: 4,
    statements: (types) => {
      const { text, integer, tableEnd } = types;
      return [
        `CREATE TABLE personas (
           space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE, persona ${text} NOT NULL, ${OWNER(types)}, about ${text} NOT NULL,
           roles ${text} NOT NULL, position ${integer} NOT NULL, document ${text} NOT NULL, user_id ${text} NOT NULL, updated_at ${text} NOT NULL,
           revision ${text} NOT NULL, PRIMARY KEY (space_id, persona))${tableEnd}`,
        'CREATE INDEX personas_project ON personas (project_id)',
        `ALTER TABLE tokens ADD COLUMN persona ${text}`,
        `ALTER TABLE tokens ADD COLUMN claims ${text}`,
      ];
    },
  },
  {
    version: 5,
    // Relations that the database does not declare, as JSON or NULL.
    statements: ({ text }) => [`ALTER TABLE entries ADD COLUMN relations ${text}`],
  },
  {
    version: 6,
    statements: ({ integer }) => [`ALTER TABLE entries ADD COLUMN read_only ${integer} NOT NULL DEFAULT 0`],
  },
  {
    version: 7,
    statements: (types) => {
      const { text, integer, tableEnd } = types;
      const columns = `db_type, db_name, hosts, username, password, tls, ca, connect_timeout_secs, idle_timeout_secs, max_open_connections,
        max_idle_connections, timeout_secs, position, relations, read_only`;
      return [
        // Tables and modules that a definition uses, as JSON.
        `ALTER TABLE definitions ADD COLUMN uses ${text} NOT NULL DEFAULT '{"tables":[],"modules":[]}'`,
        // Every document that was ever deployed, even if the definition was deleted.
        `CREATE TABLE definition_history (
           revision_id ${text} PRIMARY KEY, ${OWNER(types)}, space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE,
           definition_id ${text} NOT NULL, uri ${text} NOT NULL, shape ${text} NOT NULL, method ${text} NOT NULL, version ${text} NOT NULL,
           action ${text} NOT NULL, user_id ${text} NOT NULL, at ${text} NOT NULL, document ${text} NOT NULL)${tableEnd}`,
        'CREATE INDEX definition_history_endpoint ON definition_history (space_id, shape, method)',
        'CREATE INDEX definition_history_project ON definition_history (project_id)',
        // An entry has an alias and may be limited to some spaces, so database names are not
        // unique.
        `CREATE TABLE entries_of_spaces (
           entry_id ${text} PRIMARY KEY, ${OWNER(types)}, alias ${text} NOT NULL, spaces ${text} NOT NULL, db_type ${text} NOT NULL,
           db_name ${text} NOT NULL, hosts ${text} NOT NULL, username ${text} NOT NULL, password ${text} NOT NULL, tls ${text} NOT NULL, ca ${text},
           connect_timeout_secs ${integer} NOT NULL, idle_timeout_secs ${integer} NOT NULL,
           max_open_connections ${integer} NOT NULL, max_idle_connections ${integer} NOT NULL, timeout_secs ${integer} NOT NULL,
           position ${integer} NOT NULL, relations ${text}, read_only ${integer} NOT NULL DEFAULT 0, UNIQUE (project_id, db_type, alias, spaces))${tableEnd}`,
        `INSERT INTO entries_of_spaces (entry_id, org_id, project_id, alias, spaces, ${columns})
           SELECT entry_id, org_id, project_id, db_name, 'dev,staging,prod', ${columns} FROM entries`,
        'DROP TABLE entries',
        'ALTER TABLE entries_of_spaces RENAME TO entries',
      ];
    },
  },
  {
    version: 8,
    statements: () => ["CREATE INDEX definition_history_deleted ON definition_history (space_id, at) WHERE action = 'delete'"],
  },
  {
    version: 9,
    statements: (types) => {
      const { text, tableEnd } = types;
      return [
        `CREATE TABLE apps (
           space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE, app ${text} NOT NULL, ${OWNER(types)}, title ${text} NOT NULL,
           permission ${text} NOT NULL, document ${text} NOT NULL, source ${text}, user_id ${text} NOT NULL, updated_at ${text} NOT NULL,
           revision ${text} NOT NULL, PRIMARY KEY (space_id, app))${tableEnd}`,
        'CREATE INDEX apps_project ON apps (project_id)',
        // Every document that was ever stored, even if the app was deleted.
        `CREATE TABLE app_history (
           revision_id ${text} PRIMARY KEY, ${OWNER(types)}, space_id ${text} NOT NULL REFERENCES spaces ON DELETE CASCADE,
           app ${text} NOT NULL, action ${text} NOT NULL, user_id ${text} NOT NULL, at ${text} NOT NULL, document ${text} NOT NULL,
           source ${text})${tableEnd}`,
        'CREATE INDEX app_history_app ON app_history (space_id, app)',
        'CREATE INDEX app_history_project ON app_history (project_id)',
        "CREATE INDEX app_history_deleted ON app_history (space_id, at) WHERE action = 'delete'",
      ];
    },
  },
  {
    version: 10,
    // Records of changes. They outlive what was changed, so nothing references other tables.
    statements: ({ text, integer, tableEnd }) => [
      `CREATE TABLE audit (
         audit_id ${text} PRIMARY KEY, at ${text} NOT NULL, action ${text} NOT NULL, object ${text} NOT NULL, changed ${text},
         status ${integer} NOT NULL, user_id ${text} NOT NULL, token_id ${text}, roles ${text} NOT NULL, org_id ${text}, project_id ${text},
         space_id ${text}, request_id ${text} NOT NULL, instance ${text} NOT NULL)${tableEnd}`,
      'CREATE INDEX audit_at ON audit (at)',
      'CREATE INDEX audit_project ON audit (project_id, at)',
    ],
  },
];

export const NEWEST_FORMAT = MIGRATIONS.at(-1)?.version ?? 0;

/** Format of existing records. Rejects a format of a newer version of Millrace. */
export async function formatOf(sql: Sql, what = 'the store'): Promise<number> {
  const [row] = await sql.all<{ version: number | null }>('SELECT max(version) AS version FROM migrations');
  const current = row?.version ?? 0;
  if (current > NEWEST_FORMAT)
    throw new Error(`${what} has format ${current}, this version of millrace knows formats up to ${NEWEST_FORMAT}; run a newer version`);
  return current;
}

/**
 * Migrates the tables to a format, the newest by default. Rejects records of a newer version of
 * Millrace.
 */
export async function migrate(driver: Driver, format = NEWEST_FORMAT): Promise<void> {
  await driver.write(async (tx) => {
    await driver.prepare(tx);
    const { text, integer, tableEnd } = driver.types;
    await tx.all(`CREATE TABLE IF NOT EXISTS migrations (version ${integer} PRIMARY KEY, applied_at ${text} NOT NULL)${tableEnd}`);
    const current = await formatOf(tx);
    for (const { version, statements } of MIGRATIONS) {
      if (version <= current || version > format) continue;
      for (const statement of statements(driver.types)) await tx.all(statement);
      await tx.all('INSERT INTO migrations (version, applied_at) VALUES (?, ?)', [version, new Date().toISOString()]);
    }
  });
}
