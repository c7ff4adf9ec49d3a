/** Tests that every signed decision is proven by its record, so that another process continues by it. */
import { expect, test } from 'vitest';
import { type RunDecisionKind, signingText } from '../../../src/model/gate/signing-text.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { SigningCredential } from '../../../src/ports/approvers.ts';
import { enrolPerson, gateIn, lateIds, type SharedStore, sharedStore, yesTo } from '../../attacks/forged-record.ts';
import { posting, TO_ONE } from '../gates/posting-runs.ts';
import { CAPS, neverAnswers, planOf, REQUEST, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';
import { payment } from './payment.ts';

const reason = 'seen';

const signRun = (
  { ana }: SharedStore,
  run_id: string,
  decision: RunDecisionKind,
  said: JsonObject,
  at = START_MS,
): SigningCredential =>
  ana.sign((key_id, signed_at) => signingText.runDecision({ run_id, decision, said, key_id, signed_at }), at);

/** The decisions on record, if the keys prove each of them. */
async function provenIn(bench: Rig, runId: string): Promise<readonly string[]> {
  const { proofs } = await bench.runtime.records.replay(runId);
  const events = await bench.events(runId);
  const decided = events.filter((event) => 'proof' in event);
  expect(proofs).toEqual({ checked: decided.length, unproven: [], altered: [] });
  return decided.map(({ type }) => type);
}

test('a budget extension', async () => {
  const store = await sharedStore({
    tools: { look: {}, fin: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'fin', depends_on: ['a'] },
      ]),
    ],
    caps: { ...CAPS, tool_calls_max: 1 },
  });
  const { runId, handoverHash } = await store.keyed().invoke();
  const packetHash = handoverHash ?? '';
  const delta = { tool_calls: 5 };
  const credential = signRun(store, runId, 'budget_extended', { delta, reason, packet_hash: packetHash });
  const bench = store.keyed();
  await bench.settle(bench.runtime.sessions.extendBudget(runId, { delta, reason, packetHash, credential }));
  expect(await provenIn(bench, runId)).toEqual(['budget_extended']);
});

test.each([{}, { happened: { result: { ok: true } } }])('an escalation that continues with %j', async (more) => {
  const lost = { idempotency: { kind: 'none' }, execute: neverAnswers, timeout_ms: 100, retries_max: 0 } as const;
  const store = await sharedStore(payment({ pay: lost }));
  const bench = store.keyed();
  const gate = gateIn(await bench.invoke());
  const yes = { packetHash: gate.packetHash, credential: store.ana.sign(yesTo(gate)), reason };
  const { runId, handoverHash } = await bench.settle(bench.runtime.approve(gate.gateId, yes));
  const packetHash = handoverHash ?? '';
  const at = START_MS + 60_000;
  const answer = { decision: 'continue', reason, ...more } as const;
  const credential = signRun(store, runId, 'escalation_decided', { ...answer, packet_hash: packetHash }, at);
  const next = store.keyed();
  next.clock.advanceTo(at);
  await next.settle(next.runtime.sessions.decideEscalation(runId, { ...answer, packetHash, credential }));
  expect(await provenIn(next, runId)).toEqual(['gate_decided', 'escalation_decided']);
});

const LOOKING: RigOptions = {
  tools: { look: { produces: ['done'], execute: neverAnswers } },
  plans: [planOf([{ id: 'a', tool: 'look' }])],
};

test('a pause, a resume and a cancellation', async () => {
  const store = await sharedStore(LOOKING);
  const first = store.keyed();
  void first.runtime.invoke(REQUEST).catch(() => undefined);
  const hasSent = (): boolean => first.dispatches.length > 0;
  await until(hasSent);
  const paused = signRun(store, 'run_1', 'run_paused', { cause: 'operator', reason });
  const resumed = signRun(store, 'run_1', 'run_resumed', { operator: true });
  const { sessions } = first.runtime;
  // Neither settles, because the call never answers.
  void Promise.allSettled([sessions.pause('run_1', { reason, credential: paused }), sessions.resume('run_1', resumed)]);
  await until(async () => (await store.journal.load('run_1')).some(({ events }) => events.includes('"run_resumed"')));
  const last = store.keyed({ ...LOOKING, plans: [] });
  const credential = signRun(store, 'run_1', 'run_cancelled', { reason });
  const ended = await last.settle(last.runtime.sessions.cancel('run_1', { reason, credential }));
  expect(ended.terminalCode).toBe('USER_CANCEL');
  expect(await provenIn(last, 'run_1')).toEqual(['run_paused', 'run_resumed', 'run_cancelled']);
});

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise<void>((go) => setImmediate(go));
}

test('a migration to newer tools, and one to another pack', async () => {
  const store = await sharedStore();
  const { runId } = await store.keyed().invoke();
  const newer = payment({ pay: { version: '2', description: 'pays at once' } });
  const repacked: RigOptions = {
    ...newer,
    plans: [],
    agent: (agent) => ({ ...agent, pins: { ...agent.pins, pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_2' } }),
  };
  let gate = null;
  let bench = store.keyed();
  for (const options of [{ ...newer, plans: [] }, repacked]) {
    bench = store.keyed(options);
    const planned = await bench.runtime.sessions.previewMigration(runId);
    const said = { ...(planned as unknown as JsonObject), reason };
    const credential = signRun(store, runId, 'run_migrated', said);
    gate = gateIn(await bench.settle(bench.runtime.sessions.migrate(runId, { reason, credential })));
  }
  const next = store.keyed(repacked);
  if (gate === null) throw new Error('no gate');
  const yes = { packetHash: gate.packetHash, credential: store.ana.sign(yesTo(gate)), reason };
  expect((await next.settle(next.runtime.approve(gate.gateId, yes))).terminalCode).toBe('SUCCESS');
  expect(await provenIn(next, runId)).toEqual(['run_migrated', 'run_migrated', 'gate_decided']);
});

test('a fork with real effects, and a decision in its parent', async () => {
  const store = await sharedStore();
  const bench = store.keyed();
  const waiting = await bench.invoke();
  const gate = gateIn(waiting);
  const yes = { packetHash: gate.packetHash, credential: store.ana.sign(yesTo(gate)), reason };
  const { runId } = await bench.settle(bench.runtime.approve(gate.gateId, yes));
  const { state_checkpoints } = await bench.runtime.records.trace(runId);
  const at = state_checkpoints.findLast(({ judged }) => judged === 'step')?.checkpoint_id ?? '';
  const olga = await enrolPerson(store.keys, 'olga', { roles: ['operator'] });
  const credential = olga.sign((key_id, signed_at) =>
    signingText.fork({ run_id: runId, at, reason, key_id, signed_at }),
  );
  const { keys, journal } = store;
  const later = rig({ ...payment(), world: { journal, ids: lateIds(), policy: { approvers: { keys } } } });
  const forked = await later.settle(later.runtime.records.fork(runId, { at, simulate: false, reason, credential }));
  expect(await provenIn(later, forked.runId)).toEqual(['gate_decided', 'run_forked']);
});

test('a standing grant and the lift of a kill switch', async () => {
  const store = await sharedStore(posting('team_a', 1));
  const bench = store.keyed();
  const credential = store.ana.sign((key_id, signed_at) => signingText.grant({ ...TO_ONE, key_id, signed_at }));
  await bench.runtime.grants.give(TO_ONE, credential);
  const switchId = await bench.runtime.killSwitches.throw({ scope: { tenant: 'tenant_a' }, by: 'ops', reason: 'stop' });
  const lift = store.ana.sign((key_id, signed_at) =>
    signingText.lift({ switch_id: switchId, reason, key_id, signed_at }),
  );
  await bench.runtime.killSwitches.lift({ switchId, reason, credential: lift });
  const next = store.keyed();
  const { terminalCode, runId } = await next.invoke();
  expect([terminalCode, next.dispatches.length]).toEqual(['SUCCESS', 1]);
  expect((await next.runtime.records.verify(runId)).proofs).toEqual({ checked: 1, unproven: [], altered: [] });
});
