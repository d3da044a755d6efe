// Turns the ClickHouse library into a server: opens it, tells it to listen, and stays inside that
// one call until the process is ended. usage: node server.mjs LIBRARY-FOLDER
// ARGUMENTS-OF-CLICKHOUSE-LOCAL...
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [home, ...args] = process.argv.slice(2);
const require = createRequire(join(home, 'package.json'));
const { DataType, load, open } = require('ffi-rs');

// The library ends when its last statement does; this one sleeps for ever, a row at a time, free of
// the limits on sleeping.
const script = [
  'SYSTEM START LISTEN HTTP',
  'SYSTEM START LISTEN TCP',
  'SELECT sleepEachRow(3) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0',
].join('; ');
const argv = ['clickhouse-local', ...args, '--query', script];

open({ library: 'clickhouse', path: join(home, 'libchdb.so') });
load({
  library: 'clickhouse',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [argv.length, argv],
});
// Returns on failure only; the library has printed the reason on stderr.
process.exit(1);
