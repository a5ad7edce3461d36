import type { Content, WireOptions } from '../protocol.js';
import { PROTOCOL_VERSION } from './message.js';

/** Content of a `kernel_info_reply`. */
export function kernelInfo({
  banner,
  version,
  languageVersion,
}: Pick<WireOptions, 'banner' | 'version' | 'languageVersion'>): Content {
  return {
    status: 'ok',
    protocol_version: PROTOCOL_VERSION,
    implementation: 'gondwana',
    implementation_version: version,
    banner,
    debugger: false,
    supported_features: [],
    help_links: [
      { text: 'TypeScript', url: 'https://www.typescriptlang.org/docs/' },
      { text: 'TensorFlow.js', url: 'https://js.tensorflow.org/api/latest/' },
    ],
    language_info: {
      name: 'typescript',
      version: languageVersion,
      mimetype: 'text/typescript',
      file_extension: '.ts',
      codemirror_mode: 'typescript',
      pygments_lexer: 'typescript',
      nbconvert_exporter: 'script',
    },
  };
}
