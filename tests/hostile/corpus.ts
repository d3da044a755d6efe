// Messages of public collections of attacks on HTTP parsers: ambiguous lengths and codings,
// misplaced blanks and line ends, wrong chunks, all forms of targets, binary data. Tables that are
// combined here.

const HOST = 'Host: x\r\n';
const every = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => String.fromCharCode(from + i));
const ODD_BYTES = [...every(0, 0x1f), '\x7f', '\x80', '\xa0', '\xff'];

const TARGETS = [
  '/',
  '//',
  '/a?b=c',
  '/a#b',
  '/%00',
  '/\x80',
  '/ä',
  '/a b',
  '/a\tb',
  '*',
  'a',
  'x:443',
  '?a',
  '',
  'http://',
  'http:///a',
  'http://h',
  'HTTP://h/a',
  'http://h?q',
  'https://h:1/a',
  'http://u@h/',
  'http://h\\@i/',
  'ftp://h/a',
  'http:/a',
  'http:a',
  'htt',
  '//h/a',
  '/../a',
  '/a\\b',
  '/"<>{}|^`',
  '/\x7f',
  '\\a',
  '.',
  '/a;b=c',
  '/?#',
];

const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.1 ',
  ' HTTP/1.1',
  'http/1.1',
  'HTTP/11',
  'HTTP/1.10',
  'HTTP/01.1',
  'HTTP/1',
  'HTTP',
  '',
  'ICY/1.1',
  'HTTP/1.1\t',
  'HTTP/+1.1',
];

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'HEAD',
  'OPTIONS',
  'get',
  'GeT',
  'GETX',
  'CONNECT',
  'PRI',
  'G@T',
  'GET\t',
  ' GET',
  '\tGET',
  '',
  '\0GET',
  'GET\0',
  'M-SEARCH',
  'SOURCE',
  '"GET"',
];

const LENGTHS = [
  '0',
  '3',
  '03',
  '0003',
  '+3',
  '-3',
  '-0',
  '3 ',
  ' 3',
  '\t3',
  '3,3',
  '3, 3',
  '3;',
  '3.0',
  '0x3',
  '1e1',
  '',
  ' ',
  '99999999999999999999',
  '18446744073709551619',
  '4294967299',
  '3\x0b',
  '\x0c3',
  '"3"',
  '3 3',
  '٣',
  'three',
];

const CODINGS = [
  'chunked',
  'Chunked',
  'CHUNKED',
  ' chunked',
  'chunked ',
  '\tchunked',
  'chunked\t',
  '\x0bchunked',
  'chunked\x0c',
  'chunked\0',
  'xchunked',
  'chunkedx',
  'chunk',
  '"chunked"',
  "'chunked'",
  'identity',
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked,',
  ',chunked',
  'identity, chunked',
  'chunked;q=1',
  'chunked;',
  '',
  'cow',
  'chunked identity',
  '[chunked]',
  'ch\xfcnked',
];

const LENGTH_NAMES = [
  'Content-Length',
  'content-length',
  'Content-Length ',
  ' Content-Length',
  'Content-Length\t',
  'Content_Length',
  'Content-Length\0',
  'Content Length',
  '\x0bContent-Length',
  'Content-Length\r',
];
const CODING_NAMES = [
  'Transfer-Encoding',
  'transfer-encoding',
  'Transfer-Encoding ',
  ' Transfer-Encoding',
  'Transfer_Encoding',
  'Transfer-Encoding\t',
  '\x0bTransfer-Encoding',
  'Transfer\r\n-Encoding',
  'X: y\nTransfer-Encoding',
  'X: y\rTransfer-Encoding',
];

const LINES = [
  'A: b',
  'A:b',
  'A:',
  'A: ',
  'A :b',
  'A\t:b',
  ' A:b',
  'A',
  ':b',
  ': b',
  'A: b\r\n c',
  'A: b\r\n\tc',
  'A:\r\n b',
  'A: b\nB: c',
  'A: b\rB: c',
  'A: b\r\r',
  'A: b\n',
  'A: b\r',
  '\r',
  '\n',
  '\0',
  'A\0: b',
  'A: "b',
  'A: b: c',
  'A: \xff',
  '(A): b',
  'A/B: c',
  'A=B: c',
  'A@B: c',
  'Ä: b',
  'Host: y',
  'host: y',
  'Host:',
  'Connection: close, keep-alive',
  'Connection: upgrade\r\nUpgrade: h2c',
  'Expect: 100-continue',
  'Expect: x',
  'Upgrade: websocket',
  'HTTP/1.1 200 OK',
  'GET / HTTP/1.1',
  `A: ${'b'.repeat(4000)}`,
  `${'A'.repeat(300)}: b`,
];

const SIZES = [
  '3',
  '03',
  '0000000003',
  '000000000000000003',
  '+3',
  '-3',
  ' 3',
  '3 ',
  '3\t',
  '\t3',
  '0x3',
  '3h',
  'g',
  '',
  '3;',
  '3;a',
  '3;a=b',
  '3; a=b',
  '3 ;a=b',
  '3;a =b',
  '3;a= b',
  '3;a="b"',
  '3;a="b',
  '3;a=b"',
  '3;a="b\\"c"',
  '3;a="b;c=d"',
  '3;a="\xe4"',
  '3;\xe4',
  '3;a\0',
  '3;a=b;c',
  '3;;a',
  '3;a=b;',
  '3,3',
  '3 3',
  '3.',
  '3;\n',
  '3\n',
  '3\r',
  '3\r\r\n',
  '3;a\nb',
  '3;a\rb',
  '3\0',
  'ffffffffffffffff3',
  '100000000000000003',
  '80000000',
  '-ffffffff',
  '4',
  '2',
  '1',
  '٣',
];

const CHUNK_ENDS = ['\r\n', '\n', '\r', '', '\r\r\n', '\r\nx', ' \r\n', '\n\n', '\r\n\r\n'];
const LAST_CHUNKS = [
  '0\r\n\r\n',
  '0\n\n',
  '0\r\n\n',
  '0\r\n\r',
  '0\r\r\n\r\n',
  '00000\r\n\r\n',
  '0;a\r\n\r\n',
  '0; a\r\n\r\n',
  '0\r\nT: u\r\n\r\n',
  '0\r\nT : u\r\n\r\n',
  '0\r\n T: u\r\n\r\n',
  '0\r\nT\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\n',
  '0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '0\r\nHost: y\r\n\r\n',
  '0\r\nT: a\nU: b\r\n\r\n',
  '0\r\nT: a\r\n\tb\r\n\r\n',
  '0\r\nT: \0\r\n\r\n',
  '-0\r\n\r\n',
  '0x0\r\n\r\n',
  '\r\n',
];

const post = (headers: string, body: string): string => `POST /p HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body);
const FIRST = 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n';

/**
 * Messages as latin1 text. Each is followed by another request, which a fooled parser takes for a
 * part of it, or vice versa.
 */
export function corpus(): readonly string[] {
  const found = new Set<string>();
  const add = (text: string): void => void found.add(text);
  for (const target of TARGETS) for (const method of ['GET', 'OPTIONS']) add(`${method} ${target} HTTP/1.1\r\n${HOST}\r\n`);
  for (const version of VERSIONS) add(`GET / ${version}\r\n${HOST}\r\n`);
  for (const method of METHODS) add(`${method} / HTTP/1.1\r\n${HOST}\r\n`);
  for (const separator of ['  ', '\t', '', ' \t', '\x0b', '\xa0', '\r\n']) {
    add(`GET${separator}/ HTTP/1.1\r\n${HOST}\r\n`);
    add(`GET /${separator}HTTP/1.1\r\n${HOST}\r\n`);
  }
  for (const before of ['\r\n', '\n', '\r', '\r\n\r\n\r\n', ' \r\n', '\0', '\xef\xbb\xbf', '\r\n '])
    add(`${before}GET / HTTP/1.1\r\n${HOST}\r\n`);
  for (const length of LENGTHS) {
    add(post(`Content-Length: ${length}\r\n`, 'abc'));
    add(post(`Content-Length: 3\r\nContent-Length: ${length}\r\n`, 'abc'));
    add(post(`Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`Transfer-Encoding: chunked\r\nContent-Length: ${length}\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(`GET /g HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\nabc`);
  }
  for (const coding of CODINGS) {
    add(post(`Transfer-Encoding: ${coding}\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`Transfer-Encoding:${coding}\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`Transfer-Encoding: ${coding}\r\nContent-Length: 13\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`Transfer-Encoding: chunked\r\nTransfer-Encoding: ${coding}\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`Transfer-Encoding: ${coding}\r\nTransfer-Encoding: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(`POST /p HTTP/1.0\r\n${HOST}Transfer-Encoding: ${coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`);
  }
  for (const name of LENGTH_NAMES) {
    add(post(`${name}: 3\r\n`, 'abc'));
    add(post(`Content-Length: 0\r\n${name}: 3\r\n`, 'abc'));
    add(post(`${name}: 3\r\nTransfer-Encoding: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
  }
  for (const name of CODING_NAMES) {
    add(post(`${name}: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`Content-Length: 13\r\n${name}: chunked\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(post(`${name}: chunked\r\nContent-Length: 13\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
  }
  for (const line of LINES) {
    add(`GET / HTTP/1.1\r\n${HOST}${line}\r\n\r\n`);
    add(`GET / HTTP/1.1\r\n${line}\r\n${HOST}\r\n`);
    add(`GET / HTTP/1.1\r\n${line}\r\n\r\n`);
    add(post(`${line}\r\nContent-Length: 3\r\n`, 'abc'));
  }
  for (const size of SIZES) {
    add(chunked(`${size}\r\nabc\r\n0\r\n\r\n`));
    add(chunked(`1\r\nz\r\n${size}\r\nabc\r\n0\r\n\r\n`));
    add(chunked(`${size}\nabc\n0\n\n`));
  }
  for (const end of CHUNK_ENDS) {
    add(chunked(`3\r\nabc${end}0\r\n\r\n`));
    add(chunked(`3${end}abc\r\n0\r\n\r\n`));
  }
  for (const last of LAST_CHUNKS) add(chunked(`3\r\nabc\r\n${last}`));
  for (const byte of ODD_BYTES) {
    add(`G${byte}ET / HTTP/1.1\r\n${HOST}\r\n`);
    add(`GET /${byte} HTTP/1.1\r\n${HOST}\r\n`);
    add(`GET / HTTP/1.1${byte}\r\n${HOST}\r\n`);
    add(`GET / HTTP/1.1\r\n${HOST}A${byte}B: c\r\n\r\n`);
    add(`GET / HTTP/1.1\r\n${HOST}A: b${byte}c\r\n\r\n`);
    add(`GET / HTTP/1.1\r\n${HOST}A: b\r${byte}\n\r\n`);
    add(post(`Content-Length: ${byte}3\r\n`, 'abc'));
    add(post(`Transfer-Encoding: chunked${byte}\r\n`, '3\r\nabc\r\n0\r\n\r\n'));
    add(chunked(`3${byte}\r\nabc\r\n0\r\n\r\n`));
    add(chunked(`3;a${byte}b\r\nabc\r\n0\r\n\r\n`));
    add(chunked(`3;a="${byte}"\r\nabc\r\n0\r\n\r\n`));
    add(chunked(`3\r\nabc\r\n0\r\nT: ${byte}\r\n\r\n`));
  }
  for (const end of ['\n', '\r', '\r\r\n', '\n\r', '\0\r\n']) {
    add(['GET / HTTP/1.1', 'Host: x', '', ''].join(end));
    add(`GET / HTTP/1.1\r\nHost: x${end}\r\n`);
    add(`GET / HTTP/1.1\r\nHost: x\r\n${end}`);
    add(`GET / HTTP/1.1${end}Host: x\r\n\r\n`);
  }
  const single = [...found];
  // Repeats the framing cases after another request on the connection.
  return [...single, ...single.filter((text) => text.startsWith('POST')).map((text) => FIRST + text)];
}
