/**
 * One process of the effect sweep: pays once with a tool of the chosen kind and kills or stops itself at the chosen
 * moment.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../../src/compose.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, planOf, REQUEST, toolSpec } from '../../runs/rig.ts';
import type { Moment } from './refund-process.ts';

export const KINDS = ['key', 'natural', 'probed', 'none'] as const;
export type Kind = (typeof KINDS)[number];

const [folder = '', kind = 'none', moment = 'none', count = '0', signal = 'SIGKILL'] = process.argv.slice(2);
let left = Number(count);

function dieAt(reached: Moment): void {
  if (reached !== moment) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, signal);
}

/** Every line is an effect that happened outside the process. */
const world = `${folder}/world.txt`;
const happened = (key: string): boolean => existsSync(world) && readFileSync(world, 'utf8').includes(`${key}\n`);

const SPECS: Readonly<Record<Kind, Partial<ToolSpec>>> = {
  key: { idempotency: { kind: 'key', retention_ms: 600_000 } },
  natural: { idempotency: { kind: 'natural' } },
  probed: { idempotency: { kind: 'none' }, probes: { reconcile: 'find' } },
  none: { idempotency: { kind: 'none' } },
};

const pay: BoundTool = {
  spec: toolSpec('pay', {
    side_effect: true,
    approval_mode: 'local_write',
    produces: ['done'],
    timeout_ms: 100,
    ...SPECS[kind as Kind],
  }),
  execute: (_, { idempotencyKey }) => {
    dieAt('before_call');
    const absorbs = kind === 'key' || kind === 'natural';
    if (!(absorbs && happened(idempotencyKey))) appendFileSync(world, `${idempotencyKey}\n`);
    dieAt('after_call');
    return { paid: true };
  },
  probing: { reconcile: { args: ({ idempotencyKey }) => ({ key: idempotencyKey }) } },
};
const find: BoundTool = {
  spec: toolSpec('find', { output_schema: {} }),
  execute: ({ key }) => (happened(String(key)) ? { paid: true } : undefined),
};

const journal = sqliteJournal({ path: `${folder}/run.db`, hash: sha256, faults: dieAt });
const runtime = ambit({
  agent: agentFor(['pay', 'find']),
  tools: [pay, find],
  planner: scriptedPlanner([planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }])]),
  limits: { dispatchWindowMs: 100 },
  world: { journal },
});
const [begun] = await journal.list({});
// The previous driver may only be stopped: an operator has decided not to wait for it.
const takeOver = { credential: { kind: 'local_operator', name: 'ops_1' }, reason: 'it does not move' } as const;
const run = begun === undefined ? await runtime.invoke(REQUEST) : await runtime.resume(begun.session_id, { takeOver });
await runtime.records.replay(run.runId);
console.log(JSON.stringify({ code: run.terminalCode, waits: run.suspended?.reason ?? null }));
await runtime.close();
