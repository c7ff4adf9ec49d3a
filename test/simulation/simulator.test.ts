/** The simulator is deterministic, covers the cases it promises, and prints how to repeat a failure. */
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { TERMINAL_CODES } from '../../src/model/fault/terminal-code.ts';
import { prng } from '../../src/testing/simulator/prng.ts';
import { simulator } from '../../src/testing/simulator/simulate.ts';
import { PARTS, SIMULATOR } from './parts.ts';
import { describeBroken } from './summary.ts';
import { expectLawful } from './sweep.ts';

test('the same seed makes the same choices, and another seed makes others', () => {
  const draw = (seed: number): readonly number[] => Array.from({ length: 20 }, prng(seed).next);
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7)).not.toEqual(draw(7 + 2 ** 32));
  expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true);
});

test('the same seed prints the same lines', () => {
  const linesOf = (seed: number): readonly string[] => {
    const lines: string[] = [];
    SIMULATOR.run(seed, (line) => lines.push(line));
    return lines;
  };
  for (const seed of [3, 41, 500]) expect(linesOf(seed)).toEqual(linesOf(seed));
  expect(linesOf(3)).not.toEqual(linesOf(41));
});

test('a few hundred seeds cover process deaths, repeated dispatches and nearly every ending', () => {
  const runs = expectLawful(20_001, 600);
  const codes = new Set(runs.map(({ code }) => code));
  expect(TERMINAL_CODES.filter((code) => codes.has(code)).length).toBeGreaterThanOrEqual(12);
  expect(new Set(runs.map(({ graph }) => graph)).size).toBe(7);
  expect(runs.filter(({ lives }) => lives > 1).length).toBeGreaterThan(100);
  expect(runs.filter(({ dispatches }) => dispatches > 3).length).toBeGreaterThan(60);
});

test('covers ambiguous requests, approved scopes and approved memory entries', () => {
  const lines: string[] = [];
  const runs = Array.from({ length: 300 }, (_, index) => SIMULATOR.run(40_001 + index, (line) => lines.push(line)));
  expect(runs.filter(({ violation }) => violation !== null).map(describeBroken)).toEqual([]);
  const countLines = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
  expect(countLines(/^answer intent_read → intent_read, scope_resolved/)).toBeGreaterThan(5);
  expect(countLines(/^answer intent_read → intent_read$/)).toBeGreaterThan(2);
  expect(countLines(/scope_resolved, gate_opened$/)).toBeGreaterThan(5);
  expect(countLines(/^input gate_decided → gate_decided, scope_resolved, policy_checked/)).toBeGreaterThan(2);
  expect(countLines(/memory_ruled, gate_opened$/)).toBeGreaterThan(2);
});

test('no law is broken by any store failure', () => {
  const lines: string[] = [];
  const runs = Array.from({ length: 400 }, (_, index) => SIMULATOR.run(30_001 + index, (line) => lines.push(line)));
  expect(runs.filter(({ violation }) => violation !== null).map(describeBroken)).toEqual([]);
  const countLines = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
  expect(countLines(/is not told whether frame \d+ was stored$/)).toBeGreaterThan(50);
  expect(countLines(/cannot write \w+: store_unknown$/)).toBeGreaterThan(3);
  expect(countLines(/cannot write \w+: store_unavailable$/)).toBeGreaterThan(5);
  expect(runs.filter(({ reason }) => /^(?:store_unavailable|checkpoint_write_failed)$/.test(reason))).not.toEqual([]);
});

test('reports a replay that differs as a broken law', () => {
  const failing = simulator({
    ...PARTS,
    replay: () => {
      throw new Fault('replay_divergence', 'another verdict');
    },
  });
  expect(failing.run(1).violation).toEqual({
    law: 'replay equals run',
    message: expect.stringContaining('another verdict'),
  });
  const forgetful = simulator({ ...PARTS, replay: (pinned, frames) => PARTS.replay(pinned, frames.slice(0, -1)) });
  expect(forgetful.run(1).violation).toEqual({ law: 'replay equals run', message: 'replay ends in another state' });
});

test('reports randomness that does not come from the seed as a broken law, with the command to repeat it', () => {
  let calls = 0;
  const drifting = simulator({
    ...PARTS,
    hash: (text) => {
      calls += 1;
      return sha256(`${calls} ${text}`);
    },
  });
  const run = drifting.run(10);
  expect(run.violation).not.toBeNull();
  expect(describeBroken(run)).toContain('npm run simulate -- --seed 10 --verbose');
});
