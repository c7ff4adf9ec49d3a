import { z } from 'zod';
import { canonicalize } from '../json/canonical.ts';
import { exactObject } from '../json/exact.ts';
import { type Address, address, ContentAddress, type Hash } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';
import type { ToolSpec } from './tool.ts';

/** One tool in two versions, each by its content address; null if the tool does not exist in that version. */
export interface ToolChange {
  readonly tool: string;
  readonly from: Address | null;
  readonly to: Address | null;
  /** The fields that differ; `name` stands for a tool that was added or removed. */
  readonly fields: readonly string[];
}
export const ToolChange: z.ZodType<ToolChange> = exactObject({
  tool: Name,
  from: ContentAddress.nullable(),
  to: ContentAddress.nullable(),
  fields: z.array(Name).min(1),
});

/** The tools that a run continues with after a migration: its new registry, and each tool that differs. */
export interface MigratedTools {
  readonly tool_registry_version: Address;
  readonly changed: readonly ToolChange[];
}
export const MigratedTools: z.ZodType<MigratedTools> = exactObject({
  tool_registry_version: ContentAddress,
  changed: z.array(ToolChange).min(1),
});

/** The fields in which two versions of a tool differ. */
export function differingFields(before: ToolSpec | undefined, after: ToolSpec | undefined): readonly string[] {
  if (before === undefined || after === undefined) return before === after ? [] : ['name'];
  const [then, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...then.keys(), ...now.keys()])].filter((name) => text(then.get(name)) !== text(now.get(name)));
}

const text = (value: unknown): string => (value === undefined ? '' : canonicalize(value as Json));

/** Every tool that differs between two registries, by name. */
export function toolChanges(
  before: readonly ToolSpec[],
  after: readonly ToolSpec[],
  hash: Hash,
): readonly ToolChange[] {
  const [then, now] = [before, after].map((specs) => new Map(specs.map((spec) => [spec.name, spec])));
  const names = [...new Set([...before, ...after].map(({ name }) => name))].toSorted();
  return names.flatMap((tool) => {
    const [from, to] = [then?.get(tool), now?.get(tool)];
    const fields = differingFields(from, to);
    return fields.length === 0 ? [] : [{ tool, from: versionOf(from, hash), to: versionOf(to, hash), fields }];
  });
}

const versionOf = (spec: ToolSpec | undefined, hash: Hash): Address | null =>
  spec === undefined ? null : address(hash, spec as unknown as Json);
