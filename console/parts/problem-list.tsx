/** The state of a check and its problems, each of which leads to its place. */
import type { Problem } from '../api/types.ts';
import type { Check } from './check.ts';
import { Icon } from './icon.tsx';

export const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const WORDS: Readonly<Record<Check['state'], (check: Check) => string>> = {
  checking: ({ failure }) => (failure === undefined ? 'Checking…' : `Not checked: ${failure}`),
  valid: () => 'Valid',
  invalid: ({ problems }) => countOf(problems.length, 'problem'),
};

export function CheckState({ check }: { readonly check: Check }) {
  const { state } = check;
  return (
    <span class={`check-state is-${state}`} data-testid="check" data-state={state} role="status">
      {state === 'valid' && <Icon name="check" />}
      {state === 'invalid' && <Icon name="warn" />}
      {WORDS[state](check)}
    </span>
  );
}

interface ProblemListProps {
  readonly check: Check;
  readonly onGoTo: (problem: Problem) => void;
}

export function ProblemList({ check, onGoTo }: ProblemListProps) {
  const { problems, warnings } = check;
  if (problems.length === 0 && warnings.length === 0) return null;
  return (
    <ul class="problem-list" aria-label="Problems">
      {problems.map((problem) => {
        const { line = 1, column = 1, message } = problem;
        return (
          <li key={`${line}:${column}:${message}`}>
            <button
              type="button"
              class="plain problem"
              data-testid="problem"
              data-line={line}
              data-column={column}
              onClick={() => onGoTo(problem)}
            >
              <span class="problem-place">
                {line}:{column}
              </span>
              <span>{message}</span>
            </button>
          </li>
        );
      })}
      {warnings.map((warning) => (
        <li key={warning} class="problem is-warning">
          <span class="problem-place">
            <Icon name="warn" />
          </span>
          <span>{warning}</span>
        </li>
      ))}
    </ul>
  );
}
