import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { StoreWriter } from '../../src/model/run/store-name.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import { openAmbit, requestOf, runOfDraft } from './agent.ts';
import type { StepTrack } from './step-track.ts';
import { rawStore } from './raw-store.ts';

export const SESSIONS = 32;
export const PAYLOAD_BYTES = 256;

/** Long enough that the beginning and the end, which are timed too, are a small part of a run. */
const STEPS_PER_RUN = 100;

/** Text, because tools answer in JSON: 192 random bytes are 256 characters of base64. */
export function payload(): JsonObject {
  return { text: randomBytes((PAYLOAD_BYTES / 4) * 3).toString('base64') };
}

/**
 * Complete runs of the product. A step lasts from one tool call of a run to the next; the first lasts from the request, so
 * it includes intake and planning.
 */
export async function ambitSteps(folder: string, course: StepTrack, writer: StoreWriter): Promise<void> {
  // By the name of the run: it is known when the run is requested.
  const begun = new Map<string, number>();
  const call: BoundTool['execute'] = ({ draft }) => {
    const run = runOfDraft(String(draft));
    const now = performance.now();
    course.step(now - (begun.get(run) ?? Number.NaN));
    begun.set(run, now);
    return course.wait()?.then(() => goesOn(run)) ?? payload();
  };
  const goesOn = (run: string): JsonObject => {
    begun.set(run, performance.now());
    return payload();
  };
  const ambit = openAmbit(join(folder, 'ambit.db'), call, { writer });
  await inParallel(async (session) => {
    for (let run = 0; !course.isOver(); run += 1) {
      const name = `${session}-${run}`;
      begun.set(name, performance.now());
      const { terminalCode } = await ambit.invoke(requestOf(name, STEPS_PER_RUN));
      if (terminalCode !== 'SUCCESS') throw new Error(`a run ended ${terminalCode}`);
      begun.delete(name);
    }
  });
  await ambit.close();
}

/** The same number of sessions, each writing one row after the other. */
export async function rawSteps(folder: string, course: StepTrack): Promise<void> {
  const store = rawStore(join(folder, 'raw.db'));
  await inParallel(async (session) => {
    for (let seq = 0; !course.isOver(); seq += 1) {
      const wait = course.wait();
      if (wait !== null) await wait;
      const before = performance.now();
      await store.append(session, seq, randomBytes(PAYLOAD_BYTES));
      course.step(performance.now() - before);
    }
  });
  store.close();
}

async function inParallel(work: (session: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: SESSIONS }, (_, session) => work(session)));
}
