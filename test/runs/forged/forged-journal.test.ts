/**
 * A journal that was rewritten and sealed again from end to end. Replay derives again everything the run can derive, so
 * a rewritten journal diverges.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { address } from '../../../src/model/json/hash.ts';
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
  frames = await bench.runtime.records.frames(waiting.runId);
});

/** Changes events and seals every frame again, so that all hashes match. */
function forge(change: (event: RunEvent) => object): readonly Frame[] {
  let prev: FrameLink = GENESIS;
  return frames.map((frame) => {
    const events = JSON.stringify((JSON.parse(frame.events) as RunEvent[]).map(change));
    const sealed = sealFrame({ ...frame, events, prev }, sha256);
    prev = sealed.hash;
    return sealed;
  });
}

const changeEvent =
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

test('accepts the original journal, also when it is sealed again', () => {
  expect(replay(frames)).toBe('accepted');
  expect(replay(forge((event) => event))).toBe('accepted');
});

const MORE = { amount: 999_999 };
const FORGERIES: readonly (readonly [string, (event: RunEvent) => object])[] = [
  ['other cleared arguments', changeEvent('step_cleared', { args: MORE, args_hash: address(sha256, MORE) })],
  ['arguments that do not match their hash', changeEvent('step_cleared', { args: MORE })],
  ['a weaker mode', changeEvent('step_cleared', { mode: 'read_only' })],
  ['no gate', changeEvent('step_cleared', { gates: [] })],
  ['another packet', changeEvent('gate_opened', { packet_hash: `sha256:${'0'.repeat(64)}` })],
  ['a better score', changeEvent('step_judged', { scores: { policy: 1, utility: 1 } })],
  ['a better run score', changeEvent('run_judged', { scores: { policy: 1, utility: 1 } })],
  ['another validator', changeEvent('step_verified', { validator: 'nobody@1' })],
  ['another record', changeEvent('run_terminated', { record: `sha256:${'0'.repeat(64)}` })],
];

describe('a journal rewritten and sealed again', () => {
  for (const [what, change] of FORGERIES) {
    verifies('replay:verdict:re-derived-equal', `${what}: rejected`, () => {
      expect(replay(forge(change))).toBe('replay_divergence');
    });
  }

  test('rejects a token for another actor', () => {
    const forged = forge((event) =>
      event.type === 'scope_resolved' && event.token !== null
        ? { ...event, token: { ...event.token, actor: 'root' } }
        : event,
    );
    expect(replay(forged)).toBe('replay_divergence');
  });
});
