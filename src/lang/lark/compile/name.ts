/** Compiles names: the location of a variable determines how it is read and written. */
import type { LarkNameNode } from '../syntax/ast.ts';
import { fail } from '../values/failure.ts';
import type { Cell, Evaluate, Frame } from '../values/function.ts';
import { type LarkValue, ModuleValue } from '../values/value.ts';
import type { Assign, Compiler } from './context.ts';

function unassigned(kind: 'local' | 'global', name: string): never {
  return fail(`${kind} variable ${name} referenced before assignment`);
}

/** Slot of a plain local of the function itself; `undefined` for any other variable. */
export function plainSlot(compiler: Compiler, node: LarkNameNode): number | undefined {
  const binding = node.binding;
  if (binding === undefined || binding.captured) return undefined;
  if (binding.kind === 'local') return binding.owner === compiler.scope ? binding.slot : undefined;
  const ofFile = binding.kind === 'global' || binding.kind === 'file';
  return ofFile && compiler.scope === compiler.fileScope ? binding.slot : undefined;
}

export function compileName(compiler: Compiler, node: LarkNameNode): Evaluate {
  const { name, at, binding } = node;
  if (binding === undefined) throw new Error(`unresolved name ${name}`);
  const slot = plainSlot(compiler, node);
  if (slot !== undefined) {
    if (compiler.settled.has(slot)) return (frame) => frame[slot] as LarkValue;
    const kind = binding.kind === 'global' ? 'global' : 'local';
    return (frame, thread) => {
      const value = frame[slot];
      if (value !== undefined) return value as LarkValue;
      thread.at = at;
      return unassigned(kind, name);
    };
  }
  switch (binding.kind) {
    case 'local':
      return readCell(compiler.scope.slotOf(binding), name, at);
    case 'global':
    case 'file':
      return readGlobal(binding.slot, binding.kind === 'global' ? 'global' : 'local', name, at);
    case 'predeclared':
      return readPredeclared(binding.slot, name, at);
    case 'universal': {
      const value = compiler.universe.get(name) ?? null;
      return () => value;
    }
  }
}

function readCell(slot: number, name: string, at: number): Evaluate {
  return (frame, thread) => {
    const value = (frame[slot] as Cell).value;
    if (value !== undefined) return value;
    thread.at = at;
    return unassigned('local', name);
  };
}

function readGlobal(slot: number, kind: 'local' | 'global', name: string, at: number): Evaluate {
  return (frame, thread) => {
    const value = (frame[0] as Frame)[slot];
    if (value !== undefined) return value as LarkValue;
    thread.at = at;
    return unassigned(kind, name);
  };
}

/** A predeclared name that the host did not provide is a module, loaded on first use. */
function readPredeclared(slot: number, name: string, at: number): Evaluate {
  return (frame, thread) => {
    const globals = frame[0] as Frame;
    const value = globals[slot];
    if (value !== undefined) return value as LarkValue;
    thread.at = at;
    const loaded = new ModuleValue(name, thread.host.load(thread, name));
    globals[slot] = loaded;
    return loaded;
  };
}

export function storeName(compiler: Compiler, node: LarkNameNode): Assign {
  const binding = node.binding;
  if (binding === undefined) throw new Error(`unresolved name ${node.name}`);
  const plain = plainSlot(compiler, node);
  if (plain !== undefined) {
    return (frame, _thread, value) => {
      frame[plain] = value;
    };
  }
  if (binding.kind === 'local') {
    const slot = compiler.scope.slotOf(binding);
    return (frame, _thread, value) => {
      (frame[slot] as Cell).value = value;
    };
  }
  const slot = binding.slot;
  return (frame, _thread, value) => {
    (frame[0] as Frame)[slot] = value;
  };
}
