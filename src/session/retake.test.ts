import { expect, test } from 'vitest';
import { Fault } from '../model/fault.ts';
import { retakeIfStale } from './retake.ts';

const STALE = new Fault('grant_stale', 'used up meanwhile');
const DOWN = new Error('down');

/** Takes fail with these, one after the other, and then succeed. What was done is told in order. */
async function retaken(failure: unknown, ...then: readonly unknown[]): Promise<readonly string[]> {
  const log: string[] = [];
  const failures = [...then];
  const take = async (): Promise<string> => {
    log.push('take');
    if (failures.length > 0) throw failures.shift();
    return 'taken';
  };
  const refresh = async (): Promise<void> => void log.push('refresh');
  const end = await retakeIfStale(failure, take, refresh).catch((error: unknown) => error);
  return [...log, end === STALE ? 'stale' : end === DOWN ? 'down' : String(end)];
}

test.each<[string, readonly unknown[], readonly string[]]>([
  ['a turn that failed with anything else has failed', [DOWN], ['down']],
  ['a stale grant is looked up anew before the turn is taken again', [STALE], ['refresh', 'take', 'taken']],
  ['what fails with anything else the second time has failed', [STALE, DOWN], ['refresh', 'take', 'down']],
  ['a third take may be the good one', [STALE, STALE], ['refresh', 'take', 'refresh', 'take', 'taken']],
  ['there is no fourth', [STALE, STALE, STALE], ['refresh', 'take', 'refresh', 'take', 'stale']],
])('%s', async (_name, [failure, ...then], expected) => {
  expect(await retaken(failure, ...then)).toEqual(expected);
});
