/**
 * One process of the undo sweep: books, is cancelled, rolls the booking back, and kills itself at the chosen moment.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../../src/compose.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, planOf, REQUEST, toolSpec } from '../../runs/rig.ts';
import type { Kind } from './effect-process.ts';
import type { Moment } from './refund-process.ts';

const [folder = '', kind = 'none', moment = 'none', count = '0'] = process.argv.slice(2);
let left = Number(count);
/** Moments count only after the run was cancelled. */
let armed = false;

function dieAt(reached: Moment): void {
  if (!armed || reached !== moment) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** Every line is an effect that happened outside the process. */
const world = `${folder}/world.txt`;
const happened = (line: string): boolean => existsSync(world) && readFileSync(world, 'utf8').includes(`${line}\n`);

const KEYED = { kind: 'key', retention_ms: 600_000 } as const;
const IDEMPOTENCY = {
  key: KEYED,
  natural: { kind: 'natural' },
  probed: { kind: 'none' },
  none: { kind: 'none' },
} as const;
const ACTS = { side_effect: true, approval_mode: 'local_write', timeout_ms: 100 } as const;

const book: BoundTool = {
  spec: toolSpec('book', { ...ACTS, idempotency: KEYED, probes: { compensate: 'unbook' } }),
  probing: { compensate: { args: ({ result }) => result as { readonly id: string } } },
  execute: ({ id }) => {
    appendFileSync(world, `book ${id}\n`);
    return { id: String(id) };
  },
};
const unbook: BoundTool = {
  spec: toolSpec('unbook', {
    ...ACTS,
    idempotency: IDEMPOTENCY[kind as Kind],
    ...(kind === 'probed' ? { probes: { reconcile: 'find' } } : {}),
  }),
  probing: { reconcile: { args: ({ args }) => args } },
  execute: ({ id }) => {
    dieAt('before_call');
    const absorbs = kind === 'key' || kind === 'natural';
    if (!(absorbs && happened(`unbook ${id}`))) appendFileSync(world, `unbook ${id}\n`);
    dieAt('after_call');
    return { gone: true };
  },
};
const find: BoundTool = {
  spec: toolSpec('find', { output_schema: {} }),
  execute: ({ id }) => (happened(`unbook ${id}`) ? { gone: true } : undefined),
};
const finish: BoundTool = {
  spec: toolSpec('finish', { ...ACTS, approval_mode: 'network', gates: ['GATE_FINISH'], produces: ['done'] }),
  execute: () => ({ ok: true }),
};

const journal = sqliteJournal({ path: `${folder}/run.db`, hash: sha256, faults: dieAt });
const runtime = ambit({
  agent: agentFor(['book', 'unbook', 'find', 'finish']),
  tools: [book, unbook, find, finish],
  planner: scriptedPlanner([
    planOf([
      { id: 'a', tool: 'book', params: { id: 'one' } },
      { id: 'b', tool: 'book', params: { id: 'two' }, depends_on: ['a'] },
      { id: 'c', tool: 'finish', depends_on: ['b'], requires: ['GATE_FINISH'] },
    ]),
  ]),
  limits: { dispatchWindowMs: 100 },
  world: { journal },
});

async function cancelled(): Promise<Awaited<ReturnType<typeof runtime.invoke>>> {
  const { runId } = await runtime.invoke(REQUEST);
  armed = true;
  return await runtime.sessions.send(runId, { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' });
}

const [begun] = await journal.list({});
const run = begun === undefined ? await cancelled() : await runtime.resume(begun.session_id);
await runtime.records.replay(run.runId);
const effects = run.record?.effects?.map(({ step_id, outcome }) => [step_id, outcome]);
console.log(JSON.stringify({ code: run.terminalCode, effects }));
await runtime.close();
