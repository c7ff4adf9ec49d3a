/**
 * A journal to which somebody has added a word that was said too late. Whoever takes the run over folds what is there,
 * and nothing but the gate itself knows that its time was up.
 */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { EventBody } from '../../../src/model/event.ts';
import { type Frame, sealFrame } from '../../../src/model/frame.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import { nextLife } from '../executing/lives.ts';
import { PAY } from '../gates/bench.ts';
import { operator, type Rig, rig, START_MS } from '../rig.ts';

const PROOF = { credential: 'local_operator', tenant_id: 'tenant_a', roles: [] } as const;

interface Asked {
  readonly bench: Rig;
  readonly gate: PendingGate;
}

/** A run at its gate, where somebody wants to know more first. */
async function asked(): Promise<Asked> {
  const bench = rig(PAY);
  const [gate] = (await bench.invoke()).pending;
  if (gate === undefined) throw new Error('no gate');
  const inquiry = { packetHash: gate.packetHash, credential: operator('lead_1'), reason: 'whose invoice is this?' };
  await bench.runtime.requestInfo(gate.gateId, inquiry);
  return { bench, gate };
}

/** The same journal with one frame more, in order in every other way. */
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

const SAID = { 'an approval': approval, 'an answer to whoever decides': answer };

test.each(Object.entries(SAID))('%s that came when the gate had expired is not believed', async (_, said) => {
  const { bench, gate } = await asked();
  const late = withFrame(bench.journal, said(gate), gate.expiresAt);
  const next = nextLife({ ...bench, journal: late }, PAY);
  await expect(next.runtime.resume('run_1')).rejects.toMatchObject({
    code: 'replay_divergence',
    message: expect.stringContaining(`gate ${gate.gateId} has expired`),
  });
  expect(next.dispatches).toEqual([]);
});

test.each(Object.entries(SAID))('%s that came a moment before is', async (_, said) => {
  const { bench, gate } = await asked();
  const early = withFrame(bench.journal, said(gate), gate.expiresAt - 1);
  const { pending } = await nextLife({ ...bench, journal: early }, PAY).runtime.outcome('run_1');
  expect(pending.map(({ gateId }) => gateId)).not.toContain(gate.gateId);
});

test('an answer of the user that came when their question had expired is not believed', async () => {
  const which = { kind: 'clarification_request', question: 'Which account?', fields: ['account'] };
  const options = { ...PAY, plans: [which], options: { limits: { questionTtlMs: 60_000 } } };
  const bench = rig(options);
  const { question } = await bench.invoke();
  const { questionId: question_id = '', packetHash } = question ?? {};
  const said = {
    type: 'question_answered',
    question_id,
    packet_hash: packetHash ?? '',
    answers: { account: 'a1' },
    changes_scope: false,
    by: 'agt_worker',
  } as const;
  const late = withFrame(bench.journal, said, START_MS + 60_000);
  await expect(nextLife({ ...bench, journal: late }, options).runtime.resume('run_1')).rejects.toMatchObject({
    code: 'replay_divergence',
    message: expect.stringContaining('question_1 has expired'),
  });
  const early = withFrame(bench.journal, said, START_MS + 60_000 - 1);
  const heard = await nextLife({ ...bench, journal: early }, options).runtime.outcome('run_1');
  expect(heard.question).toBeNull();
});
