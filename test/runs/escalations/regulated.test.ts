/** The answer of regulated work is withheld until a reviewer has seen it with its evidence and releases it. */
import { expect, test } from 'vitest';
import { HandoverPacket } from '../../../src/model/gate/handover-packet.ts';
import { parse } from '../../../src/model/json/parse.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const ID = 'terminate:review-required:route-evidence';
const WITHHELD = 'I stopped, because a person has to review this first.';

const regulated = (options: RigOptions['options'] = {}): Rig =>
  rig({
    tools: { finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'finish' }])],
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, regulated: true })) }),
    options,
  });

/** Decides the escalation on the handover packet that was shown. */
const decide = (
  bench: Rig,
  runId: string,
  handoverHash: string | null,
  decision: 'finalize' | 'terminate' | 'continue',
) =>
  bench.settle(
    bench.runtime.sessions.decideEscalation(runId, {
      decision,
      reason: 'reviewed',
      packetHash: handoverHash ?? '',
      credential: operator('rita', ['compliance']),
    }),
  );

verifies(ID, 'withholds regulated output and shows the reviewer state, evidence and recommendation', async () => {
  const bench = regulated();
  const waiting = await bench.invoke();
  expect(waiting).toMatchObject({
    status: 'paused',
    authority: 'compliance',
    text: null,
    terminalCode: null,
    suspended: { code: 'REVIEW_REQUIRED', reason: 'regulated' },
  });
  const events = await bench.events(waiting.runId);
  const [made] = eventsOf(events, 'response_compiled');
  const packet = parse(
    HandoverPacket,
    await bench.runtime.gates.packet(waiting.handoverHash ?? ''),
    'packet_incomplete',
  );
  expect(packet).toMatchObject({
    kind: 'review',
    trigger: 'regulated_review',
    refs: ['ev_1'],
    review: {
      state: { plan_id: 'plan_1', criteria_met: true },
      evidence: { done: 'ev_1' },
      recommendation: made?.text,
    },
  });
  expect(eventsOf(events, 'memory_proposed')).toEqual([]);
  expect(await bench.runtime.sessions.get(waiting.runId)).toMatchObject({ text: null, record: null });

  const done = await decide(bench, waiting.runId, waiting.handoverHash, 'finalize');
  expect(done).toMatchObject({ terminalCode: 'SUCCESS', text: made?.text });
  expect(eventsOf(await bench.events(waiting.runId), 'response_compiled')).toHaveLength(1);
  expect((await bench.runtime.records.replay(waiting.runId)).state.ending.terminal?.code).toBe('SUCCESS');
});

verifies(ID, 'ends with REVIEW_REQUIRED without output if rejected, or if escalations end the run', async () => {
  const bench = regulated();
  const waiting = await bench.invoke();
  await expect(decide(bench, waiting.runId, waiting.handoverHash, 'continue')).rejects.toMatchObject({
    code: 'event_illegal',
  });
  const ended = await decide(bench, waiting.runId, waiting.handoverHash, 'terminate');
  expect(ended).toMatchObject({ terminalCode: 'REVIEW_REQUIRED', text: WITHHELD });

  const alone = await regulated({ limits: { onEscalate: 'end' } }).invoke();
  expect(alone).toMatchObject({ terminalCode: 'REVIEW_REQUIRED', reason: 'regulated', text: WITHHELD });
});

test('a request that may be regulated counts as regulated', async () => {
  const bench = rig({
    tools: { finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'finish' }])],
    agent: (agent) => ({
      ...agent,
      intents: agent.intents.flatMap((intent) => [intent, { ...intent, intent: 'advise', regulated: true }]),
    }),
  });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  const unclear = await bench.invoke({ intent: 'other' });
  const [read] = eventsOf(await bench.events(unclear.runId), 'intent_classified');
  expect(read).toMatchObject({ candidates: ['work', 'advise'], regulated: true });
});
