import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CrashedRun, type SweptRun, sweepCrashes } from '../../src/testing/crash-sweep/sweep.ts';
import type { Kind, RunEnd } from './kinds.ts';

const SCRIPT = new URL('./sweep-process.ts', import.meta.url).pathname;

export interface Seen extends RunEnd {
  readonly effects: number;
}

function look({ lastLine, folder }: CrashedRun): Seen {
  const world = join(folder, 'world.txt');
  const effects = existsSync(world) ? readFileSync(world, 'utf8').trim().split('\n').length : 0;
  return { ...(JSON.parse(lastLine) as RunEnd), effects };
}

const GATED = ['gate', 'gate decision'] as const;
const EVERY_RUN = ['goal', 'plan', 'intent', 'pay', 'observation', 'verdict', 'terminal'] as const;

/** The crash points before and after everything that a run of this kind records or calls. */
const pointsOf = (kind: Kind): readonly string[] =>
  [...EVERY_RUN, ...(kind === 'read_only' ? [] : GATED)].flatMap((mark) => [`before ${mark}`, `after ${mark}`]);

/** Kills a payment with a tool of this kind at every crash point and lets a second process finish it. */
export async function sweepKind(kind: Kind): Promise<readonly SweptRun<Seen>[]> {
  const swept = await sweepCrashes({ command: (folder) => [process.execPath, SCRIPT, folder, kind] }, look);
  expect(new Set(swept.flatMap(({ names }) => names))).toEqual(new Set(pointsOf(kind)));
  return swept;
}
