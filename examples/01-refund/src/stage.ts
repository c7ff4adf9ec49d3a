import { styleText } from 'node:util';
import type { Ambit, RunOutcome } from 'ambit';
import type { RunEvent } from 'ambit/records';
import { eventDescriber } from './events.ts';
import { indented, wrapped } from './layout.ts';
import type { Options } from './options.ts';
import { type LedgerProcess, startWorker, type WorkerProcess } from './processes.ts';

/** The parts of one demo: its processes, its journal, and the terminal. */
export interface Stage {
  readonly options: Options;
  readonly ledger: LedgerProcess;
  /** Runs the first act, and reads the refund from the journal. */
  readonly runtime: Ambit;
  readonly say: (...lines: readonly string[]) => void;
  /** Prints a heading with the next number. Some demos skip headings, so the numbers are counted here. */
  readonly title: (text: string) => void;
  /** Prints the events of a run since the last call. */
  readonly sayNews: (runId: string) => Promise<void>;
  readonly startWorker: (command: string, ...args: readonly string[]) => WorkerProcess;
}

export interface StageParts extends Pick<Stage, 'options' | 'ledger' | 'runtime'> {
  readonly store: string;
  readonly modelUrl: string;
}

export function openStage({ store, modelUrl, ...parts }: StageParts): Stage {
  const { options, ledger, runtime } = parts;
  const say: Stage['say'] = (...lines) => {
    if (!options.json) for (const line of lines) console.log(wrapped(line));
  };
  let titles = 0;
  let seen = 0;
  const describe = eventDescriber();
  return {
    ...parts,
    say,
    title: (text) => {
      titles += 1;
      say('', styleText('bold', `${titles}. ${text}`));
    },
    sayNews: async (runId) => {
      const frames = await runtime.records.frames(runId);
      const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
      say(...events.slice(seen).flatMap(describe));
      seen = events.length;
    },
    startWorker: (command, ...args) => startWorker(command, store, ledger.url, modelUrl, ...args),
  };
}

/** Prints that a run was derived again from its journal, and returns the number of frames. */
export async function replayed({ runtime, say }: Stage, { runId }: RunOutcome): Promise<number> {
  const { turns } = await runtime.records.replay(runId);
  say(
    indented(`replayed from the journal, ${turns.length} frames: every decision and ruling has the same bytes;`),
    indented('the replay called no tool and no model, and asked no person'),
  );
  return turns.length;
}
