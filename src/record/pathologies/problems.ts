import type { EventOf } from '../../model/event.ts';

export type Problem = EventOf<'plan_verified'>['problems'][number];

/** What a plan rests on has been looked up anew since, or its time has passed. */
export const isStaleProblem = ({ code, detail }: Problem): boolean =>
  code === 'contaminated_support' && detail?.['kind'] === 'stale';

const DENIED: ReadonlySet<string> = new Set([
  'tool_not_allowed',
  'approval_authority_exceeded',
  'argument_not_allowed',
  'permission_denied',
]);

/** The plan reaches for what the run has no right to. */
export const isDenied = ({ code }: Problem): boolean => DENIED.has(code);
