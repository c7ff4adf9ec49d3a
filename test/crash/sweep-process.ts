/**
 * One process of the crash sweep and the disk faults: takes a payment through a gate with a tool of the chosen kind, on
 * real files, and continues a run that it finds there. Its last line reports the state of the run.
 *
 *     node sweep-process.ts <folder> <kind> [clock offset in ms]
 *
 * With AMBIT_SWEEP_WRITER=thread a thread writes.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../src/compose.ts';
import type { ToolSpec } from '../../src/model/tool/tool.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import { crashPoints } from '../../src/testing/crash-sweep/sweep.ts';
import { scriptedPlanner } from '../../src/testing/scripted-planner.ts';
import { agentFor, planOf, REQUEST, toolSpec } from '../runs/rig.ts';
import type { Kind, RunEnd } from './kinds.ts';

const [folder = '', kind = 'neither', offset = '0'] = process.argv.slice(2);
const crash = crashPoints();

/** Every line is an effect that happened outside the process. */
const world = `${folder}/world.txt`;
const happened = (key: string): boolean => existsSync(world) && readFileSync(world, 'utf8').includes(`${key}\n`);

const ACTS = { side_effect: true, approval_mode: 'destructive', gates: ['GATE_PAY'] } as const;
const SPECS: Readonly<Record<Kind, Partial<ToolSpec>>> = {
  read_only: {},
  key: { ...ACTS, idempotency: { kind: 'key', retention_ms: 86_400_000 } },
  natural: { ...ACTS, idempotency: { kind: 'natural' } },
  reconcilable: { ...ACTS, idempotency: { kind: 'none' }, probes: { reconcile: 'find' } },
  neither: { ...ACTS, idempotency: { kind: 'none' } },
};

const pay: BoundTool = {
  spec: toolSpec('pay', { produces: ['done'], timeout_ms: 100, ...SPECS[kind as Kind] }),
  execute: (_, { idempotencyKey }) => {
    const absorbs = kind === 'key' || kind === 'natural';
    if (!(absorbs && happened(idempotencyKey))) appendFileSync(world, `${idempotencyKey}\n`);
    return { paid: true };
  },
  probing: { reconcile: { args: ({ idempotencyKey }) => ({ key: idempotencyKey }) } },
};
const find: BoundTool = {
  spec: toolSpec('find', { output_schema: {} }),
  execute: ({ key }) => (happened(String(key)) ? { paid: true } : undefined),
};

const writer = process.env['AMBIT_SWEEP_WRITER'] === 'thread' ? 'thread' : 'inline';
const journal = crash.journal(sqliteJournal({ path: `${folder}/run.db`, hash: sha256, writer }));
const gates = SPECS[kind as Kind].gates ?? [];
const runtime = ambit({
  agent: agentFor(['pay', 'find']),
  tools: [crash.tool(pay), find],
  planner: scriptedPlanner([planOf([{ id: 'a', tool: 'pay', params: { amount: 5 }, requires: gates }])]),
  // Long enough for a busy machine to dispatch in time: a sweep has to be repeatable.
  limits: { dispatchWindowMs: 3_000 },
  world: { journal, ...(offset === '0' ? {} : { clock: { nowMs: () => Date.now() + Number(offset) } }) },
});
const [begun] = await journal.list({});
let run = begun === undefined ? await runtime.invoke(REQUEST) : await runtime.resume(begun.session_id);
for (let [gate] = run.pending; gate !== undefined; [gate] = run.pending) {
  const { gateId, packetHash } = gate;
  const credential = { kind: 'local_operator', name: 'lead' } as const;
  run = await runtime.approve(gateId, { packetHash, credential, reason: 'ok' });
}
await runtime.records.replay(run.runId);
const standing: RunEnd = { code: run.terminalCode, waits: run.suspended?.reason ?? null };
console.log(JSON.stringify(standing));
await runtime.close();
