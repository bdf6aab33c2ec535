//! SmolLM2's own chat template against Python's jinja2, which wrote `chat/smollm2.json` by
//! `chat/render.py MODEL.gguf`.

mod cache;

use studio_core::chat::{ChatMessage, ChatOptions, ChatTemplate};
use studio_core::tokenizer::Tokenizer;

#[test]
fn conversations_are_rendered_as_by_jinja2() {
    let template =
        ChatTemplate::from_metadata(&cache::model_metadata()).unwrap().expect("SmolLM2 has a template");
    let conversations: Vec<Vec<serde_json::Value>> =
        serde_json::from_str(include_str!("chat/conversations.json")).unwrap();
    let expected: Vec<String> = serde_json::from_str(include_str!("chat/smollm2.json")).unwrap();
    assert_eq!(expected.len(), 2 * conversations.len());
    let mut expected = expected.into_iter();
    for conversation in conversations {
        let field = |message: &serde_json::Value, name: &str| message[name].as_str().unwrap().to_owned();
        let messages: Vec<_> = conversation
            .iter()
            .map(|message| ChatMessage::new(field(message, "role"), field(message, "content")))
            .collect();
        for add_generation_prompt in [false, true] {
            let options = ChatOptions {
                add_generation_prompt,
                bos_token: "<|im_start|>",
                eos_token: "<|im_end|>",
                now: None,
            };
            assert_eq!(Some(template.render(&messages, options).unwrap()), expected.next());
        }
    }
}

/// The ids are llama.cpp's for the rendered texts: `llama-reference tokens MODEL --batch chat/smollm2.json --parse-special`.
#[test]
fn conversations_have_the_tokens_of_llama_cpp() {
    let metadata = cache::model_metadata();
    let template = ChatTemplate::from_metadata(&metadata).unwrap().expect("SmolLM2 has a template");
    let tokenizer = Tokenizer::from_metadata(&metadata).unwrap();
    let conversations: Vec<Vec<serde_json::Value>> =
        serde_json::from_str(include_str!("chat/conversations.json")).unwrap();
    let texts: Vec<String> = serde_json::from_str(include_str!("chat/smollm2.json")).unwrap();
    let ids: Vec<Vec<u32>> = serde_json::from_str(include_str!("chat/smollm2-tokens.json")).unwrap();
    assert_eq!((texts.len(), ids.len()), (2 * conversations.len(), texts.len()));
    let mut expected = texts.into_iter().zip(ids);
    for conversation in conversations {
        let field = |message: &serde_json::Value, name: &str| message[name].as_str().unwrap().to_owned();
        let messages: Vec<_> = conversation
            .iter()
            .map(|message| ChatMessage::new(field(message, "role"), field(message, "content")))
            .collect();
        for answers in [false, true] {
            let prompt = template.prompt(&tokenizer, &messages, answers, None).unwrap();
            assert_eq!(Some((prompt.text, prompt.tokens)), expected.next());
        }
    }
}
