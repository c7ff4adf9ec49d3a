import type { Drafts, DraftTask } from '../model/draft.ts';
import type { Goal } from '../model/goal.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import type { ToolCost, ToolSpec } from '../model/tool.ts';
import type { Timed } from './answer-time.ts';
import type { ModelDesk, ModelUse } from './language-model.ts';

/** What has to be written for one call, and all that whoever writes it is told. */
export interface DraftRequest {
  readonly goal: Pick<Goal, 'statement'>;
  /** The tool whose arguments these are. What it says of itself is left out where nobody vouches for it. */
  readonly tool: ToolSpec;
  readonly places: readonly DraftPlace[];
}

/** One place that is written for. `schema` is the part of the tool's input schema that describes it. */
export interface DraftPlace extends DraftTask {
  readonly schema: Json;
}

/** What the tool would say to a call with these drafts in it. Asking changes nothing: what is written is checked again. */
export type CheckDrafts = (drafts: Drafts) => readonly Problem[];

/** Writes arguments that a plan leaves open. It is given no way to reach a tool, and no say in what is called. */
export interface Drafter extends Timed {
  /** The most that writing for one call may take of models. It is set aside before it is asked. */
  readonly cost: ToolCost;
  /** The models it asks. They are checked when the agent is put together, and a run is pinned to them. */
  readonly uses?: readonly ModelUse[];
  /** By JSON Pointer, a value for every place. A stranger's value until somebody has checked it. */
  draft(request: DraftRequest, signal: AbortSignal, desk: ModelDesk, check: CheckDrafts): Promise<Drafts>;
}
