import { vecToArray } from '../../../kernel/index.ts';
import { expandCheckpoints, StoredCheckpoint } from '../../../model/events/checkpoint.ts';
import type { EffectOf } from '../../../model/events/effect.ts';
import type { RunEvent } from '../../../model/events/event.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import { addressOfText } from '../../../model/json/hash.ts';
import type { Law, Moment, Witness } from './law.ts';

/**
 * Every verdict saves a checkpoint in its own frame: valid, stored under the address of its content, numbered without
 * gaps, and with the run's lists of that moment.
 */
export function checkpointPerVerdict({ scenario, blobs }: Witness): Law {
  const { hash, limits } = scenario.pins.env;
  const stored: string[] = [];
  let count = 0;
  return {
    name: 'checkpoint per verdict',
    event: (moment) => {
      const { event, after } = moment;
      const saved = moment.effects.filter((effect) => effect.kind === 'save_checkpoint');
      if (saved.length === 0 && isVerdict(moment, limits.planning === 'stepwise')) {
        return `${event.type} is a verdict and left no checkpoint`;
      }
      for (const checkpoint of saved) {
        count += 1;
        const problem = problemWith(checkpoint);
        if (problem !== null) return problem;
      }
      return after.counters.checkpoints === count ? null : `${after.counters.checkpoints} counted, ${count} saved`;
    },
    end: (final) => {
      const lists = {
        tool_transcripts: vecToArray(final.work.transcripts),
        evidence_refs: vecToArray(final.work.evidence),
        step_scores: vecToArray(final.work.scores),
      };
      expandCheckpoints(
        stored.map((text) => StoredCheckpoint.parse(JSON.parse(text))),
        lists,
        hash,
      );
      return null;
    },
  };

  function problemWith({ checkpoint_id, payload }: EffectOf<'save_checkpoint'>): string | null {
    const text = canonicalize(payload);
    const read = StoredCheckpoint.safeParse(payload);
    if (!read.success) return `${checkpoint_id} is not a checkpoint: ${read.error.message}`;
    if (read.data.sequence !== count) return `${checkpoint_id} has the number ${read.data.sequence}, not ${count}`;
    if (blobs.get(addressOfText(hash, text)) !== text) return `${checkpoint_id} is not stored under its address`;
    stored.push(text);
    return null;
  }
}

/** Whether the event fixes the Critic's verdict. A safety stop ends the run before there is one. */
function isVerdict({ event, after, before }: Moment, stepwise: boolean): boolean {
  // A score without confidence goes to the judges first.
  if (after.ending.inFlight === 'judges' && before.ending.inFlight === null) return false;
  const unsafe = after.ending.stops.length > before.ending.stops.length;
  // The outcome of a call in doubt is probed before the verdict.
  if (isFailed(event)) return after.ending.inFlight !== 'probe';
  if (event.type === 'plan_verified') return true;
  if (event.type === 'step_judged') return !unsafe;
  return event.type === 'run_judged' && !unsafe && !(stepwise && event.unmet.length > 0);
}

const isFailed = (event: RunEvent): boolean => event.type === 'step_verified' && !event.ok;
