import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Measurer, Speed } from './step-track.ts';

/** A message to the process that takes the steps. */
type Order = { readonly warmUp: number } | { readonly measure: number } | 'end';

/** A separate process that takes steps only on order, so that two of them can be measured in turn. */
export interface Contender extends Pick<Measurer, 'warmUp' | 'measure'> {
  end(): Promise<void>;
}

export function contender(program: string, args: readonly string[]): Contender {
  const child = fork(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    warmUp: async (steps) => void (await answerOf(child, { warmUp: steps })),
    measure: async (ms) => (await answerOf(child, { measure: ms })) as Speed,
    end: async () => {
      const gone = once(child, 'exit');
      child.send('end' satisfies Order);
      const [code] = await gone;
      // A failure while the last runs end also invalidates the measurement.
      if (code !== 0) throw brokenOff(code);
    },
  };
}

const brokenOff = (code: number | null): Error => new Error(`the measured process exited with ${code}`);

async function answerOf(child: ChildProcess, order: Order): Promise<unknown> {
  const listening = new AbortController();
  const gone = once(child, 'exit', listening).then(([code]) => {
    throw brokenOff(code);
  });
  const answered = once(child, 'message', listening).then(([answer]) => answer);
  child.send(order);
  try {
    return await Promise.race([answered, gone]);
  } finally {
    listening.abort();
  }
}

/** Executes the orders of the parent process and returns the results. */
export function serveMeasurer(referee: Measurer): void {
  const obey = async (order: Order): Promise<void> => {
    if (order === 'end') {
      referee.end();
      process.disconnect();
      return;
    }
    const answer = 'warmUp' in order ? await referee.warmUp(order.warmUp) : await referee.measure(order.measure);
    process.send?.(answer ?? null);
  };
  process.on('message', (order) => void obey(order as Order));
}
