import { Annotation, END, entrypoint, START, StateGraph, task } from '@langchain/langgraph';
import { type Contender, RUN_STEPS } from '../harness/contender.ts';

const CONFIG = { recursionLimit: RUN_STEPS * 2 };
const State = Annotation.Root({ n: Annotation<number> });
const node = (state: { n: number }): { n: number } => ({ n: state.n + 1 });

/** A chain of a hundred nodes without a checkpointer, so nothing is saved. */
export function graphChain(): Contender {
  const names = Array.from({ length: RUN_STEPS }, (_, at) => `step_${at}`);
  // The builder's type grows with every node; a type without the names is enough here.
  const builder: StateGraph<typeof State, typeof State.State, typeof State.Update, string> = new StateGraph(State);
  for (const [at, name] of names.entries()) builder.addNode(name, node).addEdge(names[at - 1] ?? START, name);
  const graph = builder.addEdge(names.at(-1) ?? START, END).compile();
  return contender(async () => (await graph.invoke({ n: 0 }, CONFIG)).n);
}

/** The functional API: a hundred awaited tasks in one entry point. */
export function functional(): Contender {
  const step = task('step', async (n: number) => n + 1);
  const flow = entrypoint('flow', async (start: number) => {
    let n = start;
    for (let at = 0; at < RUN_STEPS; at += 1) n = await step(n);
    return n;
  });
  return contender(async () => await flow.invoke(0, CONFIG));
}

function contender(run: () => Promise<number>): Contender {
  return {
    stepsPerBatch: RUN_STEPS,
    prepare: () => async () => {
      const n = await run();
      if (n !== RUN_STEPS) throw new Error(`LangGraph counted ${n}`);
    },
  };
}
