/**
 * One process of the lease tests. Its arguments select an action: `invoke` a session whose second step waits for a
 * file, `resume` it, `take` it over, or `pause`, `cancel`, `let_go_on` or `steer` it while another process drives it.
 * It prints the result.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, watch } from 'node:fs';
import { ambit } from '../../../src/compose.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, planOf, REQUEST, toolSpec } from '../rig.ts';

const [folder = '', what = 'invoke', runId = 'run'] = process.argv.slice(2);
const credential = { kind: 'local_operator', name: 'ops_1' } as const;
const answer = { credential, reason: 'told to' };

/** Each line records one tool call. */
const recordCall = (tool: string): void => appendFileSync(`${folder}/calls.txt`, `${tool}\n`);

function waitForFile(file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!existsSync(`${folder}/${file}`)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
    signal.addEventListener('abort', () => {
      watcher.close();
      reject(new Error('called back'));
    });
    look();
  });
}

const tool = (name: string, work: BoundTool['execute'], produces: readonly string[] = []): BoundTool => ({
  spec: toolSpec(name, { timeout_ms: 120_000, produces: [...produces] }),
  execute: (args, context) => {
    recordCall(name);
    return work(args, context);
  },
});

const done = (): { ok: true } => ({ ok: true });
const runtime = ambit({
  agent: agentFor(['one', 'slow', 'three']),
  tools: [
    tool('one', done),
    tool('slow', async (_, { signal }) => {
      await waitForFile('go.txt', signal);
      return { ok: true };
    }),
    tool('three', done, ['done']),
  ],
  planner: scriptedPlanner([
    planOf([
      { id: 's1', tool: 'one' },
      { id: 's2', tool: 'slow', depends_on: ['s1'] },
      { id: 's3', tool: 'three', depends_on: ['s2'] },
    ]),
  ]),
  store: `sqlite:${folder}/run.db`,
  world: { ids: { next: (prefix) => (prefix === 'run' ? runId : `${prefix}_${randomUUID()}`) } },
});

async function act(): Promise<unknown> {
  if (what === 'invoke') return await runtime.invoke(REQUEST);
  if (what === 'resume') return await runtime.resume(runId);
  if (what === 'take') return await runtime.resume(runId, { takeOver: answer });
  if (what === 'pause') return await runtime.sessions.pause(runId, answer);
  if (what === 'cancel') return await runtime.sessions.cancel(runId, answer);
  if (what === 'let_go_on') return await runtime.sessions.resume(runId, credential);
  return await runtime.sessions.steer(runId, { credential, note: 'mind the gap' });
}

try {
  const { status, terminalCode } = (await act()) as { status: string; terminalCode: string | null };
  console.log(JSON.stringify({ status, code: terminalCode }));
} catch (error) {
  console.log(JSON.stringify({ fault: Fault.is(error) ? error.code : String(error), message: String(error) }));
}
await runtime.close();
