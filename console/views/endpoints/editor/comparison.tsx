/** Compares two versions or revisions. The address holds both. */

import { Diff, diffOf } from '../../../parts/diff.tsx';
import { useResource } from '../../../parts/resource.ts';
import { Await } from '../../../parts/states.tsx';
import { writeYaml } from '../../../parts/yaml-text.ts';
import { type Definition, type Revision, readDocument, readRevision, readText } from '../definitions-api.ts';

/** Something that can be compared: a deployed version, or an earlier document. */
export interface Side {
  /** Version or id of the revision, as in the address. */
  readonly value: string;
  readonly label: string;
  readonly read: () => Promise<string>;
  /** The document in one order and layout: revisions have lost their author's. */
  readonly readPlain: () => Promise<string>;
  readonly isRevision: boolean;
}

const WORDS: Readonly<Record<Revision['action'], string>> = { deploy: 'deployed', update: 'updated', delete: 'deleted', copy: 'copied' };

export function sidesOf(versions: readonly Definition[], history: readonly Revision[]): readonly Side[] {
  const plain = ({ identifiers: _, ...document }: Awaited<ReturnType<typeof readDocument>>): string => writeYaml(document);
  const deployed = versions.map(
    ({ version, definition_id }): Side => ({
      value: version,
      label: version,
      isRevision: false,
      read: () => readText(definition_id),
      readPlain: async () => plain(await readDocument(definition_id)),
    }),
  );
  const revisions = history.map(({ revision_id, version, action, at }): Side => {
    const readPlain = async () => plain(await readRevision(revision_id));
    return {
      value: revision_id,
      label: `${version}, ${WORDS[action]} ${at.slice(0, 16).replace('T', ' ')}`,
      isRevision: true,
      read: readPlain,
      readPlain,
    };
  });
  return [...deployed, ...revisions];
}

interface PickerProps {
  readonly sides: readonly Side[];
  readonly from: string;
  readonly to: string;
  readonly onChange: (from: string, to: string) => void;
}

export function ComparisonPicker({ sides, from, to, onChange }: PickerProps) {
  return (
    <div class="comparison-picker">
      <span class="label">Compare</span>
      <SideSelect
        testId="compare-from"
        label="Compare from"
        sides={sides}
        value={from}
        onChange={(value) => onChange(value, to)}
        isOptional
      />
      <span class="faint">with</span>
      <SideSelect testId="compare-to" label="Compare to" sides={sides} value={to} onChange={(value) => onChange(from, value)} />
    </div>
  );
}

interface SideSelectProps {
  readonly testId: string;
  readonly label: string;
  readonly sides: readonly Side[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isOptional?: boolean;
}

function SideSelect({ testId, label, sides, value, onChange, isOptional = false }: SideSelectProps) {
  const groups = [
    { name: 'Versions', items: sides.filter(({ isRevision }) => !isRevision) },
    { name: 'Revisions', items: sides.filter(({ isRevision }) => isRevision) },
  ].filter(({ items }) => items.length > 0);
  return (
    <select data-testid={testId} aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {isOptional && <option value="">nothing</option>}
      {groups.map(({ name, items }) => (
        <optgroup key={name} label={name}>
          {items.map((side) => (
            <option key={side.value} value={side.value}>
              {side.label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

export function Comparison({ sides, from, to }: Pick<PickerProps, 'sides' | 'from' | 'to'>) {
  const left = sides.find(({ value }) => value === from);
  const right = sides.find(({ value }) => value === to);
  const texts = useResource(async () => {
    if (left === undefined || right === undefined) throw new Error('This version or revision does not exist here. Choose another one.');
    const isPlain = left.isRevision || right.isRevision;
    return Promise.all([left, right].map((side) => (isPlain ? side.readPlain() : side.read())));
  }, [left?.value, right?.value]);
  return (
    <section class="comparison" aria-label="Comparison">
      <Await of={texts} what="both documents">
        {([before = '', after = '']) => (
          <Diff lines={diffOf(before, after)} label={`Difference of ${left?.label ?? ''} and ${right?.label ?? ''}`} />
        )}
      </Await>
    </section>
  );
}
