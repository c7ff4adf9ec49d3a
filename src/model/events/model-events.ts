import type { FaultCode } from '../fault.ts';
import type { Json } from '../json.ts';
import type { ModelCall } from '../model-call.ts';
import type { ReflectionTrigger } from '../reflection.ts';
import type { ToolCost } from '../tool.ts';
import type { Violation } from '../violation.ts';

/** What models bring about besides plans. */
export interface ModelEvents {
  proposal_made: { readonly kind: string; readonly payload: Json };
  transition_requested: { readonly to: string };
  /** Something reached past the bound. It is on record, and nothing else has come of it. */
  violation_noted: Violation;
  reflection_made: {
    readonly trigger: ReflectionTrigger;
    readonly note: string;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  context_compressed: {
    readonly lost: readonly string[];
    /** Present where the model could not be asked: there is no compression, and nothing was lost by one. */
    readonly failure?: { readonly code: FaultCode; readonly message: string };
    readonly tokens: number;
    readonly pointer: string;
    /** Pointers of what is no longer shown, and what remains to be said of it. */
    readonly demoted?: readonly string[];
    readonly digest?: string;
    readonly spent?: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
}
