import { hash } from 'node:crypto';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault.ts';
import type { Address } from '../../model/hash.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { reasonOf } from '../../model/printable.ts';

/** Stands for bytes that are not kept in line: an image, a sound, a file. Its address is the hash of the bytes. */
export interface MediaHandle {
  readonly type: 'image' | 'audio' | 'blob';
  readonly mime_type: string;
  readonly bytes: number;
  readonly address: Address;
  readonly uri?: string;
}

/** Where the bytes behind a handle go, if anywhere. */
export type KeepMedia = (handle: MediaHandle, bytes: Uint8Array) => void;

/** The answer of a tool without an output schema of its own: its blocks, and the structured part if it has one. */
export const CONTENT_SCHEMA: JsonObject = Object.freeze({
  type: 'object',
  required: ['content'],
  properties: {
    content: { type: 'array', items: { type: 'object', required: ['type'] } },
    structured: {},
  },
});

/** What a tool answered, as plain JSON in which nothing is larger than its text. An error it reports is thrown. */
export function plainResult(name: string, result: CallToolResult, hasSchema: boolean, keep: KeepMedia): Json {
  const { content, structuredContent, isError } = result;
  if (isError === true) throw new Fault('tool_failed', `${name} reports an error: ${textOf(content)}`);
  if (hasSchema) {
    if (structuredContent !== undefined) return structuredContent as Json;
    throw new Fault('tool_result_invalid', `${name} promises structured content and answered without it`);
  }
  const blocks = content.map((block) => plainBlock(block, keep));
  return structuredContent === undefined
    ? { content: blocks }
    : { content: blocks, structured: structuredContent as Json };
}

function plainBlock(block: ContentBlock, keep: KeepMedia): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'image' || block.type === 'audio') {
    return { ...mediaHandle(block.type, block.mimeType, block.data, undefined, keep) };
  }
  if (block.type === 'resource_link') {
    const { uri, name, description, mimeType } = block;
    return { type: 'resource_link', uri, name, ...given('description', description), ...given('mime_type', mimeType) };
  }
  const { resource } = block;
  if ('text' in resource) {
    return { type: 'resource', uri: resource.uri, ...given('mime_type', resource.mimeType), text: resource.text };
  }
  const kind = resource.mimeType ?? 'application/octet-stream';
  return { ...mediaHandle('blob', kind, resource.blob, resource.uri, keep) };
}

function mediaHandle(
  type: MediaHandle['type'],
  mimeType: string,
  base64: string,
  uri: string | undefined,
  keep: KeepMedia,
): MediaHandle {
  const bytes = Buffer.from(base64, 'base64');
  const address: Address = `sha256:${hash('sha256', bytes, 'hex')}`;
  const handle = { type, mime_type: mimeType, bytes: bytes.length, address, ...(uri === undefined ? {} : { uri }) };
  keep(handle, bytes);
  return handle;
}

const given = (key: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [key]: value });

function textOf(content: readonly ContentBlock[]): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return reasonOf(texts.join('\n') || 'it says nothing about it');
}
