import { expect, test } from 'vitest';
import { Fault } from '../model/fault/fault.ts';
import { retakeIfStale } from './run-writer.ts';

const STALE = new Fault('grant_stale', 'used up meanwhile');
const DOWN = new Error('down');

/** Runs takes that fail with these errors in turn and then succeed. Returns the log of actions. */
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
  ['throws any other failure', [DOWN], ['down']],
  ['refreshes the grants and repeats the turn after a stale grant', [STALE], ['refresh', 'take', 'taken']],
  ['throws another failure of the second take', [STALE, DOWN], ['refresh', 'take', 'down']],
  ['repeats the turn a second time', [STALE, STALE], ['refresh', 'take', 'refresh', 'take', 'taken']],
  ['gives up after the third take', [STALE, STALE, STALE], ['refresh', 'take', 'refresh', 'take', 'stale']],
])('%s', async (_name, [failure, ...then], expected) => {
  expect(await retaken(failure, ...then)).toEqual(expected);
});
