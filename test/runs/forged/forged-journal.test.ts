/**
 * A journal that was rewritten and sealed again from end to end. Whatever the run could derive by itself is derived
 * again and found to differ: whoever writes the journal anew cannot make the run have done something else.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { RunEvent } from '../../../src/model/event.ts';
import { Fault } from '../../../src/model/fault.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../../src/model/frame.ts';
import { address } from '../../../src/model/hash.ts';
import { replayRun } from '../../../src/replay/replay.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { operator, planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: {
    pay: {
      approval_mode: 'destructive',
      side_effect: true,
      gates: ['GATE'],
      idempotency: { kind: 'key', retention_ms: 1000 },
      produces: ['done'],
    },
  },
  plans: [planOf([{ id: 'a', tool: 'pay', params: { amount: 1 }, requires: ['GATE'] }])],
};

let frames: readonly Frame[];

beforeAll(async () => {
  const bench = rig(OPTIONS);
  const waiting = await bench.invoke();
  const { gateId, packetHash } = waiting.pending[0] ?? { gateId: '', packetHash: '' };
  const answer = { packetHash, credential: operator('user_1'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gateId, answer));
  frames = await bench.runtime.frames(waiting.runId);
});

/** Changes events and seals every frame anew, so that no hash gives the forgery away. */
function forge(change: (event: RunEvent) => object): readonly Frame[] {
  let prev: FrameLink = GENESIS;
  return frames.map((frame) => {
    const events = JSON.stringify((JSON.parse(frame.events) as RunEvent[]).map(change));
    const sealed = sealFrame({ ...frame, events, prev }, sha256);
    prev = sealed.hash;
    return sealed;
  });
}

const changed =
  (type: RunEvent['type'], changes: object) =>
  (event: RunEvent): object =>
    event.type === type ? { ...event, ...changes } : event;

function replay(journal: readonly Frame[]): string {
  const { pins, critic } = partsOf(OPTIONS);
  try {
    replayRun({ env: pins.env, critic }, journal);
    return 'accepted';
  } catch (error) {
    if (Fault.is(error)) return error.code;
    throw error;
  }
}

test('the journal as it was written is accepted, also when it is sealed anew', () => {
  expect(replay(frames)).toBe('accepted');
  expect(replay(forge((event) => event))).toBe('accepted');
});

const MORE = { amount: 999_999 };
const FORGERIES: readonly (readonly [string, (event: RunEvent) => object])[] = [
  ['other arguments were cleared', changed('step_cleared', { args: MORE, args_hash: address(sha256, MORE) })],
  ['arguments that are not those of their hash', changed('step_cleared', { args: MORE })],
  ['a weaker mode', changed('step_cleared', { mode: 'read_only' })],
  ['no gate was needed', changed('step_cleared', { gates: [] })],
  ['another packet was shown', changed('gate_opened', { packet_hash: `sha256:${'0'.repeat(64)}` })],
  ['a better score', changed('step_judged', { scores: { policy: 1, utility: 1 } })],
  ['an evaluator that did not object', changed('run_judged', { scores: { policy: 1, utility: 1 } })],
  ['a verification that did not happen', changed('step_verified', { validator: 'nobody@1' })],
  ['another record', changed('run_terminated', { record: `sha256:${'0'.repeat(64)}` })],
];

describe('a journal rewritten and sealed anew', () => {
  for (const [what, change] of FORGERIES) {
    verifies('replay:verdict:re-derived-equal', `${what}: refused`, () => {
      expect(replay(forge(change))).toBe('replay_divergence');
    });
  }

  test('a token for somebody else is refused', () => {
    const forged = forge((event) =>
      event.type === 'scope_resolved' && event.token !== null
        ? { ...event, token: { ...event.token, actor: 'root' } }
        : event,
    );
    expect(replay(forged)).toBe('replay_divergence');
  });
});
