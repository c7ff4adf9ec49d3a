import { match } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { QUESTION, written } from '../parts.ts';

const BLOCKS = 7;

export const run: PageFixture = async ({ load, read }) => {
  const { eventStream } = await load(1);
  const runtime = ambit({ agent: written() });
  const text = await eventStream(runtime.start(QUESTION)).text();
  match(text, /^id: \S+\ndata: \{.*"type":"run_terminated"/m);
  // `test/front-end/page.test.ts` compares each line with the chunks and events of runs.
  for (let place = 1; place <= BLOCKS; place += 1)
    read('json', place)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
};
