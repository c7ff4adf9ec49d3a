/**
 * A journal with an appended decision that came too late. A process that takes the run over folds the frames, and only
 * the gate knows its deadline.
 */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { type Frame, sealFrame } from '../../../src/model/events/frame.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { PAY } from '../gates/bench.ts';
import { operator, type Rig, rig, START_MS } from '../rig.ts';

const PROOF = { credential: 'local_operator', tenant_id: 'tenant_a', roles: [] } as const;

interface RunAtGate {
  readonly bench: Rig;
  readonly gate: PendingGate;
}

/** A run at its gate, after a request for more information. */
async function runAtGate(): Promise<RunAtGate> {
  const bench = rig(PAY);
  const [gate] = (await bench.invoke()).pending;
  if (gate === undefined) throw new Error('no gate');
  const inquiry = { packetHash: gate.packetHash, credential: operator('lead_1'), reason: 'whose invoice is this?' };
  await bench.runtime.gates.requestInfo(gate.gateId, inquiry);
  return { bench, gate };
}

/** The same journal with one more frame, valid in every other respect. */
function withFrame(journal: Journal, body: EventBody, at: number): Journal {
  const load = async (session: string): Promise<readonly Frame[]> => {
    const frames = await journal.load(session);
    const last = frames.at(-1);
    if (last === undefined) return frames;
    const events = JSON.stringify([{ ...body, at }]);
    return [...frames, sealFrame({ ...last, seq: last.seq + 1, at, events, prev: last.hash }, sha256)];
  };
  return { ...journal, load };
}

const approval = ({ gateId: gate_id, packetHash: packet_hash }: PendingGate): EventBody => ({
  type: 'gate_decided',
  gate_id,
  packet_hash,
  decision: 'approve',
  approver: 'lead_1',
  reason: 'seen',
  proof: PROOF,
});

const answer = ({ gateId: gate_id, packetHash: packet_hash }: PendingGate): EventBody => ({
  type: 'info_provided',
  gate_id,
  packet_hash,
  by: 'agt_worker',
  text: 'of the roofer',
  proof: PROOF,
});

const ANSWERS = { 'an approval': approval, 'an answer to an information request': answer };

test.each(Object.entries(ANSWERS))('rejects %s that came after the gate expired', async (_, bodyOf) => {
  const { bench, gate } = await runAtGate();
  const late = withFrame(bench.journal, bodyOf(gate), gate.expiresAt);
  const next = restartProcess({ ...bench, journal: late }, PAY);
  await expect(next.runtime.resume('run_1')).rejects.toMatchObject({
    code: 'replay_divergence',
    message: expect.stringContaining(`gate ${gate.gateId} has expired`),
  });
  expect(next.dispatches).toEqual([]);
});

test.each(Object.entries(ANSWERS))('accepts %s that came just before the gate expired', async (_, bodyOf) => {
  const { bench, gate } = await runAtGate();
  const early = withFrame(bench.journal, bodyOf(gate), gate.expiresAt - 1);
  const { pending } = await restartProcess({ ...bench, journal: early }, PAY).runtime.sessions.get('run_1');
  expect(pending.map(({ gateId }) => gateId)).not.toContain(gate.gateId);
});

test("rejects a user's answer that came after the question expired", async () => {
  const which = { kind: 'clarification_request', question: 'Which account?', fields: ['account'] };
  const options = { ...PAY, plans: [which], options: { limits: { questionTtlMs: 60_000 } } };
  const bench = rig(options);
  const { question } = await bench.invoke();
  const { questionId: question_id = '', packetHash } = question ?? {};
  const body = {
    type: 'question_answered',
    question_id,
    packet_hash: packetHash ?? '',
    answers: { account: 'a1' },
    changes_scope: false,
    by: 'agt_worker',
  } as const;
  const late = withFrame(bench.journal, body, START_MS + 60_000);
  await expect(restartProcess({ ...bench, journal: late }, options).runtime.resume('run_1')).rejects.toMatchObject({
    code: 'replay_divergence',
    message: expect.stringContaining('question_1 has expired'),
  });
  const early = withFrame(bench.journal, body, START_MS + 60_000 - 1);
  const outcome = await restartProcess({ ...bench, journal: early }, options).runtime.sessions.get('run_1');
  expect(outcome.question).toBeNull();
});
