// Loaded into the service: writes to a file, on SIGUSR2, the sizes of its memory.
import { renameSync, writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';

const file = process.env.RESTING_FILE;
const MEBIBYTE = 1024 * 1024;

process.on('SIGUSR2', () => {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const { rss } = process.memoryUsage();
  writeFileSync(`${file}.draft`, JSON.stringify({ young: young.space_size / MEBIBYTE, rss: rss / MEBIBYTE }));
  renameSync(`${file}.draft`, file);
});
