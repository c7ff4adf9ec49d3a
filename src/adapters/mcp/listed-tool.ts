import { hash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault/fault.ts';
import { type Address, address } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import { takeJson } from '../../model/json/take-json.ts';

/** The parts of a tool that its registration relies on. */
const RELIED_ON = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** A tool as the server listed it, with a hash that detects changes in a later listing. */
export interface ListedTool {
  readonly tool: Tool;
  readonly parts: JsonObject;
  readonly version: Address;
}

function listedTool(tool: Tool): ListedTool {
  const known = RELIED_ON.map((part) => [part, tool[part] ?? null]);
  const parts = takeJson(Object.fromEntries(known)) as JsonObject;
  return { tool, parts, version: address(sha256, { name: tool.name, ...parts }) };
}

/** Throws `tool_drifted` if a tool is missing or differs from the registered one, and names the differences. */
export function assertSame(server: string, registered: ListedTool, current: ListedTool | undefined): void {
  const name = `${server}.${registered.tool.name}`;
  if (current === undefined) {
    throw new Fault('tool_drifted', `${name} is no longer offered; nothing was sent. Import the tools again`);
  }
  if (current.version === registered.version) return;
  const changed = RELIED_ON.filter((part) => digest(registered, part) !== digest(current, part));
  const message = `${name} is not what it was when it was registered (${changed.join(', ')} changed); nothing was sent`;
  throw new Fault('tool_drifted', `${message}. Look at it and import the tools again`);
}

/** Returns the tools by name. Rejects duplicate names, because the called tool would be ambiguous. */
export function toolsByName(server: string, tools: readonly Tool[]): ReadonlyMap<string, ListedTool> {
  const found = new Map<string, ListedTool>();
  for (const tool of tools) {
    if (found.has(tool.name)) {
      throw new Fault('input_invalid', `${server} lists the tool ${printable(tool.name)} twice`);
    }
    found.set(tool.name, listedTool(tool));
  }
  return found;
}

const digest = ({ parts }: ListedTool, part: (typeof RELIED_ON)[number]): string =>
  address(sha256, parts[part] ?? null);

const sha256 = (text: string): string => hash('sha256', text, 'hex');
