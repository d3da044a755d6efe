/** Power Tokens of the project: create, list, delete. A value is shown once. */
import { useState } from 'preact/hooks';
import { context } from '../../api/context.ts';
import { getJson, sendJson } from '../../api/request.ts';
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useResource } from '../../parts/resource.ts';
import { Await, Empty } from '../../parts/states.tsx';
import { toast } from '../../parts/toasts.tsx';
import { NewToken } from './new-token.tsx';

interface Token {
  readonly token_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly key_type: string;
  readonly roles: readonly string[];
  readonly space_id: string;
  readonly persona?: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
}

const PAGE_SIZE = 200;

export function View() {
  useTitle('Tokens');
  const [isCreating, setCreating] = useState(false);
  const tokens = useResource((signal) => readAll(signal), [context.value?.project.project_id]);
  const reload = (): void => void tokens.start({ quietly: true });
  const { may } = context.value ?? {};
  const create = may?.write === true && (
    <button type="button" class="primary" data-testid="token-new" onClick={() => setCreating(true)}>
      <Icon name="plus" /> New token
    </button>
  );
  return (
    <>
      <Bar title="Tokens" actions={create} />
      <Await of={tokens} what="tokens">
        {(list) =>
          list.length === 0 ? (
            <Empty>A token lets a program in without a gateway. It has roles, a type of access, and an end.</Empty>
          ) : (
            <TokenList tokens={list} mayDelete={may?.delete === true} onChange={reload} />
          )
        }
      </Await>
      {isCreating && <NewToken onClose={() => setCreating(false)} onCreated={reload} />}
    </>
  );
}

/** Reads all pages; a project has a few dozen tokens. */
async function readAll(signal: AbortSignal): Promise<readonly Token[]> {
  const all: Token[] = [];
  for (let page = 0; ; page++) {
    const query = { pg: String(page), ps: String(PAGE_SIZE) };
    const part = await getJson<readonly Token[]>('system/api/v1/token/list', { query, signal });
    all.push(...part);
    if (part.length < PAGE_SIZE) return all;
  }
}

interface ListProps {
  readonly tokens: readonly Token[];
  readonly mayDelete: boolean;
  readonly onChange: () => void;
}

function TokenList({ tokens, mayDelete, onChange }: ListProps) {
  const spaces = new Map(context.value?.spaces.map(({ space_id, name }) => [space_id, name]));
  const remove = async ({ token_id, name }: Token): Promise<void> => {
    const question = { title: 'Delete a token', text: `Programs that use "${name}" are refused from then on.`, action: `Delete ${name}` };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    try {
      await sendJson('DELETE', 'system/api/v1/token', undefined, { query: { token_id } });
      toast(`Deleted the token ${name}.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isError: true });
    }
    onChange();
  };
  return (
    <section class="scroll-x" aria-label="Tokens" tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Roles</th>
            <th scope="col">Space</th>
            <th scope="col">Persona</th>
            <th scope="col">Created</th>
            <th scope="col">Ends</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.token_id} data-testid="token" data-name={token.name}>
              <td>
                <strong>{token.name}</strong>
                {token.description !== null && <div class="faint">{token.description}</div>}
              </td>
              <td class="mono">{token.key_type}</td>
              <td>{token.roles.join(', ')}</td>
              <td>{spaces.get(token.space_id) ?? token.space_id}</td>
              <td>{token.persona ?? ''}</td>
              <td class="nowrap">{token.created_at}</td>
              <td class="nowrap">{token.expires_at ?? 'never'}</td>
              <td class="number">
                {mayDelete && (
                  <button
                    type="button"
                    class="plain icon-only"
                    data-testid="token-delete"
                    aria-label={`Delete ${token.name}`}
                    onClick={() => void remove(token)}
                  >
                    <Icon name="trash" />
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
