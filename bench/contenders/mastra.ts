import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { type Contender, RUN_STEPS } from '../harness/contender.ts';

const RUNS = 20;
const Counter = z.object({ n: z.number() });

const step = (id: string) =>
  createStep({
    id,
    inputSchema: Counter,
    outputSchema: Counter,
    execute: async ({ inputData }) => ({ n: inputData.n + 1 }),
  });

const workflow = (id: string) => createWorkflow({ id, inputSchema: Counter, outputSchema: Counter });

/** A chain of a hundred steps. */
export function chain(): Contender {
  const flow = workflow('chain');
  for (let at = 0; at < RUN_STEPS; at += 1) flow.then(step(`step_${at}`));
  flow.commit();
  return contender(flow);
}

/** One step that is repeated a hundred times. */
export function loop(): Contender {
  const flow = workflow('loop').dountil(step('step'), async ({ inputData }) => inputData.n >= RUN_STEPS);
  flow.commit();
  return contender(flow);
}

function contender(flow: Pick<ReturnType<typeof workflow>, 'createRun'>): Contender {
  return {
    stepsPerBatch: RUNS * RUN_STEPS,
    prepare: () => async () => {
      for (let at = 0; at < RUNS; at += 1) {
        const run = await flow.createRun();
        const result = await run.start({ inputData: { n: 0 } });
        if (result.status !== 'success' || result.result.n !== RUN_STEPS)
          throw new Error(`Mastra ended with ${result.status}`);
      }
    },
  };
}
