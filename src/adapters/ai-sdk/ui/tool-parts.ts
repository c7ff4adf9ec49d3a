import type { UIMessageChunk } from 'ai';
import type { EventOf, RunEvent } from '../../../model/events/event.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { storedAt } from '../../../model/json/stored-answer.ts';
import { readOutcome } from '../../../model/run/lane-outcome.ts';
import { confirmedPart } from '../../../model/tool/confirmed-part.ts';
import type { Confirmed } from '../../../model/tool/observation.ts';
import { reportedOutcomeReader } from '../../../model/tool/reported-outcome.ts';
import type { ToolOutcome } from '../../../model/tool/tool.ts';
import { hideSealed } from './hide-sealed.ts';

type Chunks = readonly UIMessageChunk[];

type Ending = { readonly output: Json } | { readonly errorText: string } | 'denied';

/** The tool parts of a message. A part is one step of a plan; its retries and approvals change the same part. */
export interface ToolParts extends PartList {
  /** The id of a step's part. It includes the plan, because plans may reuse step ids. */
  idOf(stepId: string): string;
  read(event: RunEvent): Chunks;
}

/** `respond` and `clarify` end a plan; the message shows the answer or the question instead of the call. */
const SPEAKING: ReadonlySet<string> = new Set(['respond', 'clarify']);

/** The text of a failed call. Only `shown` adds the tool's own words, because outsiders may have written them. */
const FAILURES: Readonly<Record<Exclude<ToolOutcome, 'ok' | 'empty'>, string>> = {
  error: 'The call failed.',
  timeout: 'The tool did not answer in time.',
  denied: 'The service denied the call.',
  expired: 'The access to the service has expired.',
  malformed: 'The answer of the tool could not be read.',
  cancelled: 'The call was cancelled.',
};

const INVALID: Ending = { errorText: 'The answer of the tool did not pass its checks.' };
const UNFINISHED: Ending = { errorText: 'The run ended before this call was done.' };

type Answer = Pick<EventOf<'step_observed'>, 'call_id' | 'outcome' | 'detail'>;

export function toolParts(toolOutputs: 'none' | 'shown'): ToolParts {
  const parts = partList();
  const cleared = new Map<string, JsonObject>();
  const partOf = new Map<string, string>();
  const results = resultReader();
  let plans = 0;

  const idOf = (stepId: string): string => `${plans}:${stepId}`;
  const endCall = (callId: string, ending: Ending): Chunks => parts.end(partOf.get(callId) ?? '', ending);

  const onAttempted = ({ call_id, step_id, tool }: EventOf<'step_attempted'>): Chunks => {
    if (SPEAKING.has(tool)) return [];
    const toolCallId = idOf(step_id);
    partOf.set(call_id, toolCallId);
    // A part that an approval packet has shown keeps its name: the packet of a dispatcher names the inner tool.
    return parts.isOpen(toolCallId) ? [] : parts.show(toolCallId, tool, cleared.get(step_id) ?? {});
  };
  const onAnswer = ({ call_id, outcome, detail }: Answer): Chunks => {
    if (outcome === 'ok' || outcome === 'empty') return [];
    const words = toolOutputs === 'shown' && detail !== undefined ? ` ${String(hideSealed(detail))}` : '';
    return endCall(call_id, { errorText: `${FAILURES[outcome]}${words}` });
  };
  const read = (event: RunEvent): Chunks => {
    results.read(event);
    switch (event.type) {
      case 'plan_verified':
        if (event.verdict === 'ok') plans += 1;
        return [];
      case 'step_cleared':
        cleared.set(event.step_id, event.args);
        return [];
      case 'step_attempted':
        return onAttempted(event);
      case 'step_observed':
        return onAnswer(event);
      case 'lane_returned':
        return onAnswer({ call_id: event.call_id, outcome: readOutcome(event.envelope).outcome });
      case 'step_verified':
        // A call that has failed stays failed with its own reason.
        return event.ok || !parts.isOpen(partOf.get(event.call_id) ?? '') ? [] : endCall(event.call_id, INVALID);
      case 'step_refused':
        return parts.end(idOf(event.step_id), { errorText: `The call was refused (${event.code}).` });
      case 'step_committed':
        return endCall(event.call_id, { output: toolOutputs === 'shown' ? results.of(event.call_id) : null });
      case 'run_terminated':
        return parts.openIds().flatMap((id) => parts.end(id, UNFINISHED));
      default:
        return [];
    }
  };
  return { ...parts, idOf, read };
}

interface PartList {
  /** Shows a call with its arguments, unless it is already shown with these. */
  show(toolCallId: string, toolName: string, input: Json): Chunks;
  /** The chunk that ends a part, or nothing if the part is not shown or has already ended. */
  end(toolCallId: string, ending: Ending): Chunks;
  isOpen(toolCallId: string): boolean;
  openIds(): readonly string[];
}

interface Part {
  /** The arguments as they were sent to the browser. */
  readonly input: string;
  /** A failed call may be repeated, so its part can still get an answer. */
  readonly state: 'open' | 'failed' | 'ended';
}

function partList(): PartList {
  const parts = new Map<string, Part>();
  return {
    isOpen: (toolCallId) => parts.get(toolCallId)?.state === 'open',
    openIds: () => [...parts].flatMap(([id, { state }]) => (state === 'open' ? [id] : [])),
    show: (toolCallId, toolName, input) => {
      const shown = hideSealed(input);
      const text = JSON.stringify(shown);
      const before = parts.get(toolCallId);
      if (before?.input === text && before.state === 'open') return [];
      parts.set(toolCallId, { input: text, state: 'open' });
      return [{ type: 'tool-input-available', toolCallId, toolName, input: shown, dynamic: true }];
    },
    end: (toolCallId, ending) => {
      const part = parts.get(toolCallId);
      if (part === undefined || part.state === 'ended') return [];
      const hasFailed = ending !== 'denied' && 'errorText' in ending;
      parts.set(toolCallId, { ...part, state: hasFailed ? 'failed' : 'ended' });
      if (ending === 'denied') return [{ type: 'tool-output-denied', toolCallId }];
      if (hasFailed) return [{ type: 'tool-output-error', toolCallId, errorText: ending.errorText, dynamic: true }];
      return [{ type: 'tool-output-available', toolCallId, output: ending.output, dynamic: true }];
    },
  };
}

/** The confirmed results of calls. Null for a result that is stored outside the journal, and for lanes. */
function resultReader(): { read(event: RunEvent): void; of(callId: string): Json } {
  const raws = new Map<string, Json>();
  const confirmed = new Map<string, Confirmed>();
  const readReport = reportedOutcomeReader();
  return {
    read: (event) => {
      const report = readReport(event);
      if (report !== null) raws.set(report.call_id, report.result);
      if (event.type === 'step_observed' || event.type === 'call_reconciled') raws.set(event.call_id, event.raw);
      if (event.type === 'step_verified') confirmed.set(event.call_id, event.confirmed);
    },
    of: (callId) => {
      const raw = raws.get(callId) ?? null;
      return storedAt(raw) === null ? hideSealed(confirmedPart(raw, confirmed.get(callId) ?? 'all')) : null;
    },
  };
}
