// Malicious ClickHouse servers, over both protocols: thousands of randomly mutated conversations,
// and their allowed results.
import { test } from 'vitest';
import { times } from '../support/times.ts';
import { clickhouseHttpProtocol } from './clickhouse-http.ts';
import { clickhouseNativeProtocol } from './clickhouse-native.ts';
import { expectUnharmed } from './frame/verdict.ts';

test.each([clickhouseHttpProtocol, clickhouseNativeProtocol])(
  'the driver survives servers that send invalid messages: $name',
  (protocol) => expectUnharmed(protocol, times(100, 20_000), ['done', 'malformed', 'lost']),
  600_000,
);
