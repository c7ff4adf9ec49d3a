import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Referee, Speed } from './course.ts';

/** What whoever measures says to the process that takes the steps. */
type Order = { readonly warmUp: number } | { readonly measure: number } | 'end';

/** A process of its own that takes steps only while it is told to, so that two of them can be measured in turn. */
export interface Contender extends Pick<Referee, 'warmUp' | 'measure'> {
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
      // What goes wrong while the last runs end was measured as well.
      if (code !== 0) throw brokenOff(code);
    },
  };
}

const brokenOff = (code: number | null): Error => new Error(`the process that was measured ended with ${code}`);

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

/** Does what the process above says, and tells it what came of it. */
export function refereed(referee: Referee): void {
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
