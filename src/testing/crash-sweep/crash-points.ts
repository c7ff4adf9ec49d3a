import { appendFileSync } from 'node:fs';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { Journal } from '../../ports/journal/journal.ts';

/** Durable events, with their names in crash points. */
const MARKS: Readonly<Partial<Record<EventBody['type'], string>>> = {
  goal_received: 'goal',
  plan_proposed: 'plan',
  gate_opened: 'gate',
  gate_decided: 'gate decision',
  step_attempted: 'intent',
  step_observed: 'observation',
  call_reconciled: 'observation',
  step_judged: 'verdict',
  run_escalated: 'escalation',
  escalation_decided: 'escalation decision',
  run_terminated: 'terminal',
};

/** The points at which a process can be killed. A point may have several names, one per event of its frame. */
export interface CrashPoints {
  /** Kills before a frame is offered to the store, and as soon as it is durable. */
  journal(journal: Journal): Journal;
  /** Kills before the tool does anything, and after it has done everything and before it answers. */
  tool(tool: BoundTool): BoundTool;
  /** A custom point, such as the middle of a tool's work. */
  at(...names: readonly string[]): void;
}

/** When a process of a sweep dies. */
export interface CrashOrder {
  /** The number of the point to die at, from 1, or the first point with this name; null for a process that survives. */
  readonly dieAt: number | string | null;
  /** A file that gets one line per point: a JSON list of its names. */
  readonly trace: string | null;
}

/** The environment variable through which `sweepCrashes` passes a `CrashOrder` to its processes. */
export const CRASH_ORDER = 'AMBIT_CRASH';

/** Crash points that kill this process with SIGKILL as the sweep ordered. Outside a sweep they do nothing. */
export function crashPoints(order: CrashOrder = orderOf(process.env[CRASH_ORDER])): CrashPoints {
  let instant = 0;
  const at = (...names: readonly string[]): void => {
    if (names.length === 0) return;
    instant += 1;
    if (order.trace !== null) appendFileSync(order.trace, `${JSON.stringify(names)}\n`);
    const isDue = typeof order.dieAt === 'string' ? names.includes(order.dieAt) : instant === order.dieAt;
    if (isDue) process.kill(process.pid, 'SIGKILL');
  };
  return {
    at,
    journal: (journal) => ({
      ...journal,
      append: async (append) => {
        const marks = marksIn(append.frame.events);
        at(...marks.map((mark) => `before ${mark}`));
        await journal.append(append);
        at(...marks.map((mark) => `after ${mark}`));
      },
    }),
    tool: (tool) => ({
      ...tool,
      execute: async (args, context) => {
        at(`before ${tool.spec.name}`);
        const answer = await tool.execute(args, context);
        at(`after ${tool.spec.name}`);
        return answer;
      },
    }),
  };
}

function marksIn(events: string): readonly string[] {
  const types = (JSON.parse(events) as readonly EventBody[]).map(({ type }) => type);
  return [...new Set(types.flatMap((type) => MARKS[type] ?? []))];
}

const UNHARMED: CrashOrder = Object.freeze({ dieAt: null, trace: null });

function orderOf(text: string | undefined): CrashOrder {
  if (text === undefined || text === '') return UNHARMED;
  try {
    const { dieAt = null, trace = null } = JSON.parse(text) as Partial<CrashOrder>;
    return { dieAt, trace };
  } catch (cause) {
    throw new Fault('input_invalid', `${CRASH_ORDER} is set by a crash sweep and by nobody else`, { cause });
  }
}
