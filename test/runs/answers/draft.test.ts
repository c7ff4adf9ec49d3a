/** Tasks that a model may answer by itself: its words are a draft, and the outcome says so. */
import { expect, test } from 'vitest';
import { agent, ambit, reactive } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';

const user = { name: 'ada', tenant: 'shop' };

test.each(['drafting', 'summary_of_given', 'rough_estimate'])(
  '%s: the words of the model are a draft',
  async (task) => {
    const words = 'Dear Ben, your plan costs 12 EUR.';
    const model = scriptedModel([{ steps: [], answer: words }]);
    const intents = [{ intent: 'write', description: 'Write texts', risk: 'low' as const, taskClass: task }];
    const writer = agent({
      name: 'writer',
      planner: reactive({ model }),
      tools: [],
      intents,
      boundary: 'customer_support',
      budget: 'standard',
    });
    const runtime = ambit({ agent: writer });
    const run = await runtime.invoke({ message: 'A letter to Ben', user });
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', text: words, sentences: [] });
    expect(run.trust).toEqual({ trusted: false, sources: ['ambit:model'], draft: true });
    expect((await runtime.sessions.get(run.runId)).trust).toEqual(run.trust);
    await runtime.records.replay(run.runId);
  },
);
