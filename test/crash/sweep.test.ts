/**
 * A payment loses its process at every crash point, with a tool that has neither key nor probe, and another process
 * takes over: the payment happens at most once, and a person decides about a call in doubt. The deep tier sweeps the
 * other kinds of tools.
 */
import { expect, test } from 'vitest';
import { type SweptRun, sweepCrashes } from '../../src/testing/crash-sweep/sweep.ts';
import { type Seen, sweepKind } from './sweep-kind.ts';

/** True if the intent is durable and the observation is not. */
function isBetween(swept: readonly SweptRun<Seen>[], { instant }: SweptRun<Seen>): boolean {
  const at = (name: string): number => swept.find(({ names }) => names.includes(name))?.instant ?? Number.NaN;
  return instant >= at('after intent') && instant <= at('before observation');
}

test('a tool without key and probe: one effect, or a person decides whether it happened', {
  timeout: 600_000,
}, async () => {
  const swept = await sweepKind('neither');
  for (const one of swept) {
    const { names, seen } = one;
    if (isBetween(swept, one)) {
      expect(seen, names.join()).toMatchObject({ code: null, waits: 'call_in_doubt' });
      expect(seen.effects, names.join()).toBe(names.includes('after intent') || names.includes('before pay') ? 0 : 1);
    } else expect(seen, names.join()).toEqual({ code: 'SUCCESS', waits: null, effects: 1 });
  }
});

test('rejects a program without crash points and a program that fails', async () => {
  const sweepOf = async (code: string): Promise<unknown> =>
    await sweepCrashes({ command: () => [process.execPath, '-e', code] }, () => null);
  await expect(sweepOf('0')).rejects.toThrow('no crash points');
  await expect(sweepOf('throw new Error("no such file")')).rejects.toThrow('no such file');
});
