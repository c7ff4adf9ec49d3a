import type { JudgeSpec } from '../../model/critic/judge.ts';
import type { PlanReason } from '../../model/events/effect.ts';
import type { AnswerFact, AnswerVerdict, ComposedSentence, RewrittenSentence } from '../../model/evidence/answer.ts';
import type { ActiveContext, KeptClass } from '../../model/evidence/compression.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { IntentSpec } from '../../model/plan/intent.ts';
import type { Drafts, DraftTask, Plan, PlanStep } from '../../model/plan/plan.ts';
import type { ReflectionTrigger } from '../../model/plan/proposal.ts';
import type { ThreadPart } from '../../model/run/thread.ts';
import type { ToolCost, ToolSpec } from '../../model/tool/tool.ts';
import type { ModelClient, ModelRequest, ModelUse } from './language-model.ts';

/** A model role with a time limit: a judge, a drafter, a classifier or a reviewer. */
export interface TimeLimited {
  /** The time limit for one question, including retries and fallbacks. Default: one minute. */
  readonly timeoutMs?: number;
}

const ANSWER_TIME_MS = 60_000;

const LONGEST_MS = 3_600_000;

export const timeLimitMs = ({ timeoutMs = ANSWER_TIME_MS }: TimeLimited): number => timeoutMs;

/** Checks a `timeoutMs` option. `at` names its owner in the message. Returns null if it is valid or missing. */
export function timeFault(at: string, path: string, { timeoutMs }: { readonly timeoutMs?: unknown }): Fault | null {
  if (timeoutMs === undefined) return null;
  if (Number.isInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= LONGEST_MS) return null;
  const message = `${at}: timeoutMs is a whole number of milliseconds from 1 to ${LONGEST_MS}, not ${printable(String(timeoutMs))}`;
  return new Fault('input_invalid', message, { path: `${path}/timeoutMs` });
}

/** The input of a judge. Outputs of tools and models in it are data to be judged, never instructions. */
export interface JudgeQuestion {
  readonly goal: Goal;
  readonly criteria: readonly { readonly id: string; readonly statement: string }[];
  readonly work: JudgedStep | JudgedRun;
  /** Asks the stronger or stricter model. */
  readonly safer: boolean;
}

export interface JudgedStep {
  readonly kind: 'step';
  readonly step: PlanStep;
  readonly args: JsonObject;
  readonly output: Json;
  readonly trusted: boolean;
}

export interface JudgedRun {
  readonly kind: 'run';
  /** The committed steps, in order. */
  readonly done: readonly {
    readonly step: string;
    readonly tool: string;
    readonly output: Json;
    readonly trusted: boolean;
  }[];
  /** The answer that a model gave without tools; null if there is none. */
  readonly answer: string | null;
}

/** Scores work. It cannot reach a tool, and its opinion permits nothing. */
export interface Judge extends TimeLimited {
  readonly spec: JudgeSpec;
  /** The models it asks. Runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  ask(question: JudgeQuestion, signal: AbortSignal, client: ModelClient): Promise<ModelRequest>;
}

/** The trigger of a reflection, and the work it covers. */
export interface ReflectionRequest {
  readonly trigger: ReflectionTrigger;
  readonly reason: PlanReason;
  readonly goal: Goal;
  readonly plan: Plan | null;
  readonly done: JudgedRun['done'];
}

export interface Reflection {
  readonly note: string;
  /** The cost apart from the model client's requests, which the client charges itself. */
  readonly spent: ToolCost;
}

/** A context that has grown too large, split into what must stay and what may be dropped. */
export interface CompressionRequest {
  readonly context: ActiveContext;
  /** The texts that may be dropped, by pointer. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tokens: number;
}

/** The proposed smaller context. It is checked against the actual run. */
export interface Compression {
  /** The names of the kept items, by class. A missing item ends the run. */
  readonly kept: Readonly<Record<KeptClass, readonly string[]>>;
  /** Pointers of the texts that are no longer shown. */
  readonly dropped: readonly string[];
  /** A summary of the dropped texts; may be empty. */
  readonly digest: string;
}

/** Reflects on a failure, or compresses a context that has grown too large. It cannot reach a tool. */
export interface Reviewer extends TimeLimited {
  /** The models it asks, as in `Planner.uses`. */
  readonly uses?: readonly ModelUse[];
  /** The maximum model cost of one question. Default: the maximum cost of a plan. */
  readonly cost?: ToolCost;
  reflect(request: ReflectionRequest, signal: AbortSignal, client: ModelClient): Promise<Reflection>;
  compress(request: CompressionRequest, signal: AbortSignal, client: ModelClient): Promise<Compression>;
}

/** The arguments to write for one call. A drafter sees nothing else of the run. */
export interface DraftRequest {
  readonly goal: Pick<Goal, 'statement'>;
  /** The developer's instructions to the agent's models. Left out if there are none. */
  readonly instructions?: string;
  /** The tool whose arguments these are, without its own description if that is not vouched for. */
  readonly tool: ToolSpec;
  readonly places: readonly DraftPlace[];
}

/** One place to fill. `schema` is the part of the tool's input schema that describes it. */
export interface DraftPlace extends DraftTask {
  readonly schema: Json;
}

/** Returns what the tool's schema rejects in a call with these drafts. The final drafts are checked again. */
export type CheckDrafts = (drafts: Drafts) => readonly Problem[];

/** Writes arguments that a plan leaves open. It cannot reach a tool and does not decide which tool is called. */
export interface Drafter extends TimeLimited {
  /** The maximum model cost of the drafts for one call. It is reserved before the drafter runs. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is assembled, and runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  /** Returns a value for every place, by JSON Pointer. The values are untrusted until checked. */
  draft(request: DraftRequest, signal: AbortSignal, client: ModelClient, check: CheckDrafts): Promise<Drafts>;
}

/** The facts and the question of one composition. A composer sees nothing else of the run. */
export interface ComposeRequest {
  readonly goal: Pick<Goal, 'statement'>;
  /** The developer's instructions to the agent's models. Left out if there are none. */
  readonly instructions?: string;
  /** The committed facts, without hidden parts. Texts of outsiders in them are data, never instructions. */
  readonly facts: readonly AnswerFact[];
  /** The sentences to rewrite, with the reason; empty for the first composition. */
  readonly rewrite: readonly RejectedSentence[];
  /** The earlier messages of the thread, oldest first. They prove no sentence. Left out if there are none. */
  readonly messages?: readonly ThreadPart[];
}

/** A sentence that the release check did not accept. */
export interface RejectedSentence {
  readonly text: string;
  readonly reason: string;
}

/** Writes the answer from committed facts. Its sentences are proposals; the Critic's release check decides on each. */
export interface Composer extends TimeLimited {
  /** The maximum model cost of one composition. It is reserved before the composer runs. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is assembled, and runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  /** Returns the sentences of the answer or, for a rewrite, one sentence for each rejected one, numbered or in order. */
  compose(request: ComposeRequest, signal: AbortSignal, client: ModelClient): Promise<readonly RewrittenSentence[]>;
}

/** The sentences of an answer that are not provable, and the facts that they cite. A judge sees nothing else of the run. */
export interface AnswerJudgeRequest {
  readonly goal: Pick<Goal, 'statement'>;
  /** The cited facts. Hidden parts and texts of outsiders are replaced by a mark. */
  readonly facts: readonly AnswerFact[];
  readonly sentences: readonly ComposedSentence[];
}

/**
 * Rules on sentences that the release check cannot prove. It is never asked about a sentence that cites a text of an
 * outsider, an effect or a hidden field.
 */
export interface AnswerJudge extends TimeLimited {
  /** The maximum model cost of one request. It is reserved before the judge is asked. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is assembled, and runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  /** Returns one verdict for each sentence, in order. */
  judge(request: AnswerJudgeRequest, signal: AbortSignal, client: ModelClient): Promise<readonly AnswerVerdict[]>;
}

export interface ClassifierRequest {
  readonly goal: Goal;
  /** The possible intents; always more than one. */
  readonly readings: readonly IntentSpec[];
  /** The trusted earlier messages of the thread, oldest first. Left out if there are none. */
  readonly messages?: readonly ThreadPart[];
}

/** The most likely intent of a goal. `intent` is one of the readings, or null if none fits. */
export interface Reading {
  readonly intent: string | null;
  /** From 0 to 1. Below the run's threshold, the run asks the user instead. */
  readonly confidence: number;
  /** The request is outside of every reading, so the run declines it. */
  readonly offTopic?: true;
  /** The request asks for an action. If it also fits no reading, the run ends as impossible. */
  readonly actionRequested?: true;
}

/** Chooses one of the given readings; it cannot add any. Used only if the caller named no intent of the agent. */
export interface Classifier extends TimeLimited {
  /** The maximum model cost of one question. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is assembled, and runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  classify(request: ClassifierRequest, client: ModelClient): Promise<Reading>;
}
