import type { Json } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { Drafts, DraftTask } from '../../model/plan/plan.ts';
import type { ToolCost, ToolSpec } from '../../model/tool/tool.ts';
import type { TimeLimited } from '../time-limit.ts';
import type { ModelClient, ModelUse } from './language-model.ts';

/** The arguments to write for one call. A drafter sees nothing else of the run. */
export interface DraftRequest {
  readonly goal: Pick<Goal, 'statement'>;
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
