// Makes the ClickHouse library behave as the server does when a connection fails. Started as a
// local tool it installs an error handler (KillingErrorHandler) that ends the whole process on any
// exception leaving a connection's thread: a wrong password or a client that hangs up on the native
// port is enough. The server's handler is the base class (Poco::ErrorHandler), whose methods do
// nothing.
//
// The edit: a class's virtual methods are found through its table of function addresses, and in a
// shared library that table is filled in at load time from relocation records. So the records that
// fill the killing handler's three `exception` methods get the base class's addresses. Nothing else
// in the file changes, and doing it twice changes nothing.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const RECORD = 24; // A relocation: where (8 bytes), what kind (8), the address to put there (8).
const POINTER = 8;
// The table's first two methods are the destructors; the `exception` overloads are the next three.
const EXCEPTION_METHODS = [2, 3, 4];

export function patchLibrary(path) {
  const file = openSync(path, 'r+');
  try {
    const sections = readSections(file);
    const relocations = readRelocations(file, sections);
    const killing = methodRecords('19KillingErrorHandler', file, sections, relocations);
    const harmless = methodRecords('N4Poco12ErrorHandlerE', file, sections, relocations);
    for (const method of EXCEPTION_METHODS) {
      const value = Buffer.alloc(POINTER);
      value.writeBigUInt64LE(BigInt(relocations.value(harmless[method])));
      writeSync(file, value, 0, POINTER, sections.get('.rela.dyn').offset + killing[method] * RECORD + 2 * POINTER);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * For the emulator (box64), by their bytes, each found exactly once. The library's checksum is
 * locked, so the edits cannot hit another one.
 */
const EMULATOR_EDITS = [
  // Timers in the form of files are not there. timerfd_create (283) becomes eventfd2 (290) with a
  // count of 0: a file that never becomes readable. The timers bound the waiting for other servers,
  // of which tests have none.
  { code: '5089f289febf1b01000031c0e8', replaced: '5089f231f6bf2201000031c0e8' },
  // timerfd_settime: return 0.
  { code: '504989c84889d189f289febf1e01000031c0e8', replaced: '31c0c3c84889d189f289febf1e01000031c0e8' },
  // A thread that ends loses its thread-local memory before the allocator (jemalloc) has cleaned up
  // there. So the allocator keeps no list of its threads, neither by adding one (a conditional jump
  // becomes unconditional) …
  { code: '4080fe020f876402000048899b0801000048899b10010000', replaced: '4080fe0290e96402000048899b0801000048899b10010000' },
  // … nor by removing one (a jump over it), …
  { code: '89f5488d3d98cccd01e8c30f0900', replaced: '89f5e9910100009090e8c30f0900' },
  // … and does not clean up: the little that it keeps for a thread is lost.
  { code: '415653504889fb0fb687b003000083c0fe83f8040f87f6020000', replaced: 'c35653504889fb0fb687b003000083c0fe83f8040f87f6020000' },
];

export function editForEmulator(path) {
  const file = openSync(path, 'r+');
  try {
    const { offset, size } = readSections(file).get('.text');
    const code = readAt(file, offset, size);
    for (const edit of EMULATOR_EDITS) {
      const bytes = Buffer.from(edit.code, 'hex');
      const at = code.indexOf(bytes);
      if (at < 0 || code.indexOf(bytes, at + 1) >= 0) throw new Error(`the library does not have ${edit.code} where it is expected`);
      writeSync(file, Buffer.from(edit.replaced, 'hex'), 0, bytes.length, offset + at);
    }
  } finally {
    closeSync(file);
  }
}

function readAt(file, offset, length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) throw new Error('the library ends too early');
    done += count;
  }
  return bytes;
}

/** The ELF file's sections by name: address when loaded, offset and size in the file. */
function readSections(file) {
  const header = readAt(file, 0, 64);
  if (header.toString('latin1', 1, 4) !== 'ELF') throw new Error('the library is no ELF file');
  const tableOffset = Number(header.readBigUInt64LE(0x28));
  const count = header.readUInt16LE(0x3c);
  const table = readAt(file, tableOffset, count * 64);
  const entries = Array.from({ length: count }, (_, index) => ({
    name: table.readUInt32LE(index * 64),
    address: Number(table.readBigUInt64LE(index * 64 + 0x10)),
    offset: Number(table.readBigUInt64LE(index * 64 + 0x18)),
    size: Number(table.readBigUInt64LE(index * 64 + 0x20)),
  }));
  const namesAt = entries[header.readUInt16LE(0x3e)];
  const names = readAt(file, namesAt.offset, namesAt.size);
  return new Map(entries.map((entry) => [names.toString('latin1', entry.name, names.indexOf(0, entry.name)), entry]));
}

/**
 * The relocation records: by index the place and the value, and the indices of records by place or
 * by value.
 */
function readRelocations(file, sections) {
  const { offset, size } = sections.get('.rela.dyn');
  const bytes = readAt(file, offset, size);
  const count = size / RECORD;
  const number = (at) => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
  const place = (index) => number(index * RECORD);
  const value = (index) => number(index * RECORD + 2 * POINTER);
  const find = (get, wanted) => {
    const found = [];
    for (let index = 0; index < count; index++) if (get(index) === wanted) found.push(index);
    return found;
  };
  const byPlace = new Map();
  for (let index = 0; index < count; index++) byPlace.set(place(index), index);
  return { place, value, at: (address) => byPlace.get(address), withValue: (wanted) => find(value, wanted) };
}

/**
 * The records that fill the virtual methods of a class, found from its mangled name by way of its
 * type information.
 */
function methodRecords(mangledName, file, sections, relocations) {
  const constants = sections.get('.rodata');
  const position = readAt(file, constants.offset, constants.size).indexOf(`\0${mangledName}\0`, 0, 'latin1');
  if (position < 0) throw new Error(`the library has no class ${mangledName}`);
  const nameAddress = constants.address + position + 1;
  // Type information is a pointer to its own kind, then one to the name.
  const typeInfos = relocations.withValue(nameAddress).map((index) => relocations.place(index) - POINTER);
  if (typeInfos.length !== 1) throw new Error(`the class ${mangledName} has ${typeInfos.length} descriptions`);
  const code = sections.get('.text');
  const isFunction = (address) => address >= code.address && address < code.address + code.size;
  // A pointer to type information is in a table of methods (they follow it) or the type information
  // of a derived class (no functions follow).
  for (const reference of relocations.withValue(typeInfos[0])) {
    const methods = [];
    for (let place = relocations.place(reference) + POINTER; ; place += POINTER) {
      const index = relocations.at(place);
      if (index === undefined || !isFunction(relocations.value(index))) break;
      methods.push(index);
    }
    if (methods.length > Math.max(...EXCEPTION_METHODS)) return methods;
  }
  throw new Error(`the class ${mangledName} has no table of methods`);
}
