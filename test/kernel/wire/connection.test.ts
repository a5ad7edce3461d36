import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as zmq from 'zeromq';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/errors.js';
import { channelAddress, parseConnection, readConnectionFile } from '../../../src/kernel/wire/connection.js';
import { curvePublicKey, decodeZ85, encodeZ85 } from '../../../src/kernel/wire/curve-keys.js';
import { tempFolder } from '../../support/temp-folder.js';

const good = {
  transport: 'tcp',
  ip: '127.0.0.1',
  key: 'secret',
  signature_scheme: 'hmac-sha256',
  shell_port: 5001,
  iopub_port: 5002,
  stdin_port: 5003,
  control_port: 5004,
  hb_port: 5005,
  kernel_name: 'gondwana',
};

/** The error of a connection like the good one, but for these fields; undefined takes one away. */
function errorOf(changes: Record<string, unknown>): InputError {
  const fields = JSON.parse(JSON.stringify({ ...good, ...changes })) as unknown;
  try {
    parseConnection(fields, 'kernel-1.json');
  } catch (error) {
    return error as InputError;
  }
  throw new Error('the connection was taken');
}

const fileError = (file: string): InputError => {
  try {
    readConnectionFile(file);
  } catch (error) {
    return error as InputError;
  }
  throw new Error('the file was taken');
};

describe('a connection file', () => {
  it('gives transport, address, ports, key and hash', () => {
    const file = path.join(tempFolder(), 'kernel.json');
    writeFileSync(file, JSON.stringify(good));
    expect(readConnectionFile(file)).toEqual({
      transport: 'tcp',
      ip: '127.0.0.1',
      key: 'secret',
      digest: 'sha256',
      ports: { shell: 5001, iopub: 5002, stdin: 5003, control: 5004, hb: 5005 },
    });
  });

  it('may name another hash, or none, which means SHA-256', () => {
    expect(parseConnection({ ...good, signature_scheme: 'hmac-sha512' }, 'f').digest).toBe('sha512');
    const { signature_scheme: _, ...rest } = good;
    expect(parseConnection(rest, 'f').digest).toBe('sha256');
  });

  it('is told as missing, with its name and what to do', () => {
    const error = fileError('/nowhere/kernel-7.json');
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({
      code: 'CONNECTION_FILE_MISSING',
      where: '/nowhere/kernel-7.json',
      exitCode: 3,
    });
    expect(error.hint).toMatch(/start the kernel from Jupyter/);
    expect(fileError('').code).toBe('CONNECTION_FILE_MISSING');
  });

  it('cannot be a folder, and not as large as no connection file is', () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'kernel.json'));
    expect(fileError(path.join(folder, 'kernel.json')).code).toBe('CONNECTION_FILE_UNREADABLE');
    writeFileSync(path.join(folder, 'large'), Buffer.alloc(2 ** 20 + 1));
    expect(fileError(path.join(folder, 'large')).message).toMatch(/1048577 bytes/);
  });

  it('has to be JSON, and an object', () => {
    const file = path.join(tempFolder(), 'kernel.json');
    writeFileSync(file, '{"ip": ');
    expect(fileError(file)).toMatchObject({ code: 'CONNECTION_FILE_JSON', where: file });
    for (const text of ['[]', 'null', '3']) {
      writeFileSync(file, text);
      expect(fileError(file).code).toBe('CONNECTION_FILE_FIELDS');
    }
  });

  it.each([
    [{ shell_port: undefined }, /"shell_port" is missing/],
    [{ hb_port: 0 }, /"hb_port" is 0; it has to be a whole number from 1 to 65535/],
    [{ hb_port: 65_536 }, /"hb_port" is 65536/],
    [{ control_port: '5004' }, /"control_port" is "5004"/],
    [{ control_port: 5004.5 }, /"control_port" is 5004.5/],
    [{ stdin_port: 5001 }, /"stdin_port" is 5001; it has to be another port than that of shell_port/],
    [{ transport: 'udp' }, /"transport" is "udp"; it has to be tcp or ipc/],
    [{ transport: undefined }, /"transport" is missing/],
    [{ ip: '' }, /"ip" is ""/],
    [{ ip: 7 }, /"ip" is 7/],
    [{ key: undefined }, /"key" is missing; it has to be a text; "" for messages without signature/],
    [{ key: ['a'] }, /"key" is \["a"\]/],
  ])('with %j is refused by the name of the field', (changes, message) => {
    const error = errorOf(changes);
    expect(error.code).toBe('CONNECTION_FILE_FIELDS');
    expect(error.message).toMatch(message);
    expect(error.where).toBe(`kernel-1.json, ${Object.keys(changes)[0]}`);
  });

  it.each(['hmac-rot13', 'sha256', 'hmac-', 'md5-hmac', 'hmac-shake128', 5])(
    'with the signature scheme %j is refused',
    (scheme) => {
      expect(errorOf({ signature_scheme: scheme }).code).toBe('CONNECTION_FILE_SCHEME');
    },
  );
});

describe('keys for encryption', () => {
  it('are taken where both are there and belong together', () => {
    const { publicKey, secretKey } = zmq.curveKeyPair();
    const connection = parseConnection(
      { ...good, curve_publickey: publicKey, curve_secretkey: secretKey },
      'f',
    );
    expect(connection.curve).toEqual({ publicKey, secretKey });
  });

  it('are never passed over: one alone, a damaged one or two of different pairs are refused', () => {
    const { publicKey, secretKey } = zmq.curveKeyPair();
    const { publicKey: other } = zmq.curveKeyPair();
    for (const keys of [
      { curve_publickey: publicKey },
      { curve_secretkey: secretKey },
      { curve_publickey: publicKey, curve_secretkey: secretKey.slice(1) },
      { curve_publickey: publicKey, curve_secretkey: `~${secretKey.slice(1)}` },
      { curve_publickey: other, curve_secretkey: secretKey },
      { curve_publickey: 5, curve_secretkey: secretKey },
    ]) {
      expect(errorOf(keys).code, JSON.stringify(keys)).toBe('CONNECTION_FILE_CURVE');
    }
  });

  it('have the public half that ZeroMQ computes', () => {
    for (let i = 0; i < 5; i++) {
      const { publicKey, secretKey } = zmq.curveKeyPair();
      expect(curvePublicKey(secretKey)).toBe(publicKey);
    }
  });

  it('are written as the example of RFC 32 has it', () => {
    const bytes = Buffer.from('864fd26fb559f75b', 'hex');
    expect(encodeZ85(bytes)).toBe('HelloWorld');
    expect(decodeZ85('HelloWorld')).toEqual(bytes);
    expect(decodeZ85('#####')).toBeUndefined(); // 85⁵ − 1 is more than 32 bits hold
  });
});

describe('the address of a channel', () => {
  const connection = parseConnection(good, 'f');

  it('is host and port, or a path with the port behind a hyphen', () => {
    expect(channelAddress(connection, 'iopub')).toBe('tcp://127.0.0.1:5002');
    expect(channelAddress({ ...connection, transport: 'ipc', ip: '/run/k' }, 'hb')).toBe('ipc:///run/k-5005');
  });

  it('has an address of IPv6 in brackets', () => {
    expect(channelAddress({ ...connection, ip: '::1' }, 'shell')).toBe('tcp://[::1]:5001');
  });
});
