import { join, resolve } from 'node:path';
import { type Ambit, Fault } from '../../index.ts';
import type { Thread, ThreadSummary } from '../../records.ts';
import { type Action, argument, type Call, readNumberFlag, readTextFlag } from '../command.ts';
import { createFolder, writeNewFile } from '../files.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { showTable } from '../terminal/render-table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatCount, formatRelative } from '../views/format.ts';
import { getStatusTone } from '../views/render-outcome.ts';

export const listThreadsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const filters = ['tenant', 'user', 'agent'].flatMap((name) => {
      const value = readTextFlag(flags, name);
      return value === null ? [] : [[name, value] as const];
    });
    const limit = readNumberFlag(flags, 'limit') ?? 50;
    const listed = await runtime.threads.list({ ...Object.fromEntries(filters), limit });
    showTable(terminal, listed, {
      headings: ['THREAD', 'TENANT', 'USER', 'AGENT', 'SESSIONS', 'CHANGED'],
      rows: listed.map(({ thread, tenantId, user, agent, runs, updatedAt }) => [
        ...[thread, tenantId, user, agent].map(escapeText),
        String(runs),
        formatRelative(updatedAt, Date.now()),
      ]),
      empty: 'No threads.',
    });
  });

export const showThreadAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const { thread, tenantId } = await findThread(runtime, call);
    const found = await runtime.threads.get(thread, { tenant: tenantId });
    terminal.show(found, () => renderThread(found, terminal.paint));
  });

export const exportThreadAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const { thread, tenantId } = await findThread(runtime, call);
    const exported = await runtime.threads.export(thread, { tenant: tenantId });
    // The id may come from a browser and look like a path, such as `chat/../../home`.
    const folder = resolve(readTextFlag(flags, 'out') ?? encodeURIComponent(thread));
    createFolder(folder);
    writeNewFile(
      join(folder, 'thread.json'),
      new TextEncoder().encode(`${JSON.stringify(exported.thread, null, 2)}\n`),
    );
    for (const { runId, file } of exported.runs) writeNewFile(join(folder, `${runId}.ambit`), file);
    const sessions = formatCount(exported.runs.length, 'session');
    const { pruned } = exported;
    const gone = pruned.length === 0 ? '' : `; pruned and not exported: ${pruned.join(', ')}`;
    terminal.show(
      { thread, folder, sessions: exported.runs.map(({ runId }) => runId), pruned },
      () => `${terminal.paint('good', '✓')} exported ${sessions} of ${thread} to ${folder}${gone}`,
    );
  });

/** Finds the thread that the command names. Several tenants may have one with this id. */
async function findThread(runtime: Ambit, call: Call): Promise<ThreadSummary> {
  const thread = argument(call, 'thread');
  const tenant = readTextFlag(call.flags, 'tenant');
  const [found, other] = await runtime.threads.list({ thread, ...(tenant === null ? {} : { tenant }) });
  if (found === undefined) throw new Fault('thread_not_found', `there is no thread ${thread}`);
  if (other === undefined) return found;
  throw new Fault('input_invalid', `several tenants have a thread ${thread}: name one with --tenant`);
}

const AUTHORS: Readonly<Record<Thread['messages'][number]['by'], string>> = {
  requester: 'user',
  agent: 'agent',
  other: 'other person',
  digest: 'summary',
  ending: 'ended',
};

function renderThread({ thread, user, agent, runs, messages }: Thread, paint: Paint): string {
  const lines = messages.map(({ by, text, trusted, sources }) => {
    const from = sources.length === 0 ? '' : ` from ${sources.join(', ')}`;
    const mark = trusted ? '' : ` ${paint('warning', 'untrusted')}`;
    return `${AUTHORS[by]}${from}${mark}: ${escapeText(text)}`;
  });
  const sessions = runs.map(({ runId, status, terminalCode }) =>
    `${runId}  ${paint(getStatusTone(status), status)}  ${terminalCode ?? ''}`.trimEnd(),
  );
  return [`${thread} of ${escapeText(user)} with ${escapeText(agent)}`, '', ...lines, '', ...sessions].join('\n');
}
