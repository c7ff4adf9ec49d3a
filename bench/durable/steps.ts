import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { JsonObject } from '../../src/model/json.ts';
import type { StoreWriter } from '../../src/model/store-name.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import { quantile } from '../harness/quantile.ts';
import { openAmbit, requestOf } from './agent.ts';
import { rawStore } from './raw-store.ts';

export const SESSIONS = 32;
export const PAYLOAD_BYTES = 256;

/** Long enough that the beginning and the end of a run are a small part of it; they are timed with the rest. */
const STEPS_PER_RUN = 100;

export interface Speed {
  readonly stepsPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerStep: number;
}

/** Works on until the time is up. What comes first only warms up: by steps, so that a busy machine warms up as well. */
export interface Pace {
  readonly warmUpSteps: number;
  readonly timedMs: number;
}

/** As text, since tools answer in JSON: 192 random bytes are 256 characters of base64. */
export function payload(): JsonObject {
  return { text: randomBytes((PAYLOAD_BYTES / 4) * 3).toString('base64') };
}

/** Whole runs of the product: a step takes from one call of a session's tool to the next. */
export async function ambitSteps(folder: string, pace: Pace, writer: StoreWriter): Promise<Speed> {
  const lastCall = new Map<string, number>();
  const watch = stopwatch(pace);
  const call: BoundTool['execute'] = (_args, { runId }) => {
    const now = performance.now();
    watch.step(now - (lastCall.get(runId) ?? now));
    lastCall.set(runId, now);
    return payload();
  };
  const ambit = openAmbit(join(folder, 'ambit.db'), call, writer);
  await inParallel(async (session) => {
    for (let run = 0; !watch.isOver(); run += 1) {
      const { runId, terminalCode } = await ambit.invoke(requestOf(`${session}-${run}`, STEPS_PER_RUN));
      if (terminalCode !== 'SUCCESS') throw new Error(`a run ended ${terminalCode}`);
      lastCall.delete(runId);
    }
  });
  const speed = watch.read();
  await ambit.close();
  return speed;
}

/** The same number of sessions, each writing one row after the other. */
export async function rawSteps(folder: string, pace: Pace): Promise<Speed> {
  const store = rawStore(join(folder, 'raw.db'));
  const watch = stopwatch(pace);
  await inParallel(async (session) => {
    let before = performance.now();
    for (let seq = 0; !watch.isOver(); seq += 1) {
      await store.append(session, seq, randomBytes(PAYLOAD_BYTES));
      const now = performance.now();
      watch.step(now - before);
      before = now;
    }
  });
  const speed = watch.read();
  store.close();
  return speed;
}

async function inParallel(work: (session: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: SESSIONS }, (_, session) => work(session)));
}

interface Stopwatch {
  step(ms: number): void;
  isOver(): boolean;
  read(): Speed;
}

function stopwatch({ warmUpSteps, timedMs }: Pace): Stopwatch {
  let warm = 0;
  let timed: { readonly at: number; readonly cpu: NodeJS.CpuUsage } | null = null;
  let end: { readonly at: number; readonly cpu: NodeJS.CpuUsage } | null = null;
  const times: number[] = [];
  const now = () => ({ at: performance.now(), cpu: process.cpuUsage() });
  return {
    step: (ms) => {
      if (end !== null) return;
      if (timed === null) {
        warm += 1;
        if (warm >= warmUpSteps) timed = now();
        return;
      }
      times.push(ms);
      if (performance.now() - timed.at >= timedMs) end = now();
    },
    isOver: () => end !== null,
    read: () => {
      if (timed === null || end === null) throw new Error('nothing was timed');
      const cpuUs = end.cpu.user + end.cpu.system - timed.cpu.user - timed.cpu.system;
      return {
        stepsPerS: (times.length / (end.at - timed.at)) * 1_000,
        p50Ms: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
        cpuUsPerStep: cpuUs / times.length,
      };
    },
  };
}
