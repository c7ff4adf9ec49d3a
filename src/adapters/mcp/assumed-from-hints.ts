import type { ToolAnnotations } from '@modelcontextprotocol/client';
import { type ApprovalMode, compareModes } from '../../model/approval-mode.ts';
import { type Assumed, UNDECLARED } from '../../model/imported-tool.ts';

/** Whom the hints come from, and what the user said about all tools of that server. */
export interface Standing {
  readonly trusted: boolean;
  readonly usualMode: ApprovalMode | undefined;
}

/**
 * What a server's hints about a tool are worth. Of a server that is not trusted they may only make things stricter than
 * they would be without them; whatever a server leaves out counts as the worst it could mean.
 */
export function assumedFromHints(hints: ToolAnnotations = {}, { trusted, usualMode }: Standing): Assumed {
  const declared = declaredMode(hints);
  const base = usualMode ?? UNDECLARED.approval_mode;
  if (!trusted) return { ...UNDECLARED, approval_mode: stricter(base, declared ?? base) };
  const isRepeatable = hints.readOnlyHint === true || hints.idempotentHint === true;
  return {
    approval_mode: declared ?? base,
    side_effect: hints.readOnlyHint !== true,
    external: hints.openWorldHint !== false,
    idempotency: isRepeatable ? { kind: 'natural' } : UNDECLARED.idempotency,
    asks: false,
  };
}

/** Null when the server says neither that the tool only reads nor what its writes may destroy. */
function declaredMode({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations): ApprovalMode | null {
  if (readOnlyHint === undefined && destructiveHint === undefined) return null;
  const isClosed = openWorldHint === false;
  if (readOnlyHint === true && destructiveHint !== true) return isClosed ? 'read_only' : 'network';
  if (destructiveHint === false) return isClosed ? 'local_write' : 'network';
  return 'destructive';
}

const stricter = (a: ApprovalMode, b: ApprovalMode): ApprovalMode => (compareModes(a, b) >= 0 ? a : b);
