import { hash } from 'node:crypto';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault/fault.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';

/** A reference to an image, a sound or a file whose bytes are kept elsewhere. Its address is the hash of the bytes. */
export interface MediaHandle {
  readonly type: 'image' | 'audio' | 'blob';
  readonly mime_type: string;
  readonly bytes: number;
  readonly address: Address;
  readonly uri?: string;
}

export type KeepMedia = (handle: MediaHandle, bytes: Uint8Array) => void;

/** The output schema of a tool that declares none: its content blocks, and structured content if any. */
export const CONTENT_SCHEMA: JsonObject = Object.freeze({
  type: 'object',
  required: ['content'],
  properties: {
    content: { type: 'array', items: { type: 'object', required: ['type'] } },
    structured: {},
  },
});

/** Returns a tool's result as plain JSON, with handles in place of media. Throws an error that the tool reports. */
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
    return {
      type: 'resource_link',
      uri,
      name,
      ...optional('description', description),
      ...optional('mime_type', mimeType),
    };
  }
  const { resource } = block;
  if ('text' in resource) {
    return { type: 'resource', uri: resource.uri, ...optional('mime_type', resource.mimeType), text: resource.text };
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

const optional = (key: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [key]: value });

function textOf(content: readonly ContentBlock[]): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return reasonOf(texts.join('\n') || 'it says nothing about it');
}
