import { deepEqual, equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { toConsole } = await load(1);
  const log = console.log;
  const lines: string[] = [];
  console.log = (name: string) => void lines.push(name);
  await ambit({ agent: written(), world: { metrics: toConsole } }).invoke(QUESTION);
  toConsole.gauge('ambit_gates_open', { tenant: 'shop', gate: 'GATE' }, 1);
  console.log = log;
  deepEqual(lines.includes('ambit_runs_total'), true);
  const { refusedByPolicy } = await load(2);
  equal(refusedByPolicy, 0);
};
