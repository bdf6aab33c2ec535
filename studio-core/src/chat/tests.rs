//! Expected output follows from the rules of Jinja; tests/chat holds what Python's jinja2 gives for the real template.

use super::*;

fn render(template: &str, options: ChatOptions<'_>) -> Result<String, ChatError> {
    let messages = [ChatMessage::new("user", " Hé <b>\n"), ChatMessage::new("assistant", "fine")];
    ChatTemplate::new(template)?.render(&messages, options)
}

#[test]
fn python_values_and_methods() {
    let cases = [
        ("{{ tools }} {{ add_generation_prompt }} {{ messages[1]['content'] == 'fine' }}", "None False True"),
        ("{{ messages[0].content.strip() ~ '|' ~ messages[1]['role'].upper() }}", "Hé <b>|ASSISTANT"),
        ("{{ messages[0]['content'].strip().startswith('H') }}", "True"),
        (
            "{{ messages | tojson }}",
            r#"[{"role": "user", "content": " Hé <b>\n"}, {"role": "assistant", "content": "fine"}]"#,
        ),
        ("{% for m in messages %}{% if loop.last %}{% break %}{% endif %}{{ m.role }}{% endfor %}", "user"),
        (
            "{% set ns = namespace(n=0) %}{% for m in messages[1:] %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
            "1",
        ),
        ("{{ tools is iterable }} {{ messages is iterable }} {{ 'x' is iterable }}", "False True True"),
        ("{% if strftime_now is defined %}date{% else %}no date{% endif %}", "no date"),
        ("  {% if true %}\nx\n  {% endif %}\ny\n\n", "x\ny\n"),
    ];
    for (template, expected) in cases {
        assert_eq!(render(template, ChatOptions::default()).unwrap(), expected, "{template}");
    }
}

#[test]
fn the_caller_gives_the_prompt_and_the_special_tokens() {
    let options = ChatOptions { add_generation_prompt: true, bos_token: "<s>", eos_token: "</s>", now: None };
    let template = "{{ bos_token }}x{{ eos_token }}{% if add_generation_prompt %}A:{% endif %}";
    assert_eq!(render(template, options).unwrap(), "<s>x</s>A:");
}

#[test]
fn errors_say_whose_they_are() {
    let error = |template: &str| render(template, ChatOptions::default()).unwrap_err();
    assert!(matches!(error("{% if %}"), ChatError::Parse(_)));
    assert!(matches!(error("{{ strftime_now('%Y') }}"), ChatError::NeedsDate));
    assert!(matches!(error("{{ nothing.at.all }}"), ChatError::Render(_)));
    let refused = error("{% for m in messages %}{{ raise_exception('roles must alternate') }}{% endfor %}");
    assert_eq!(
        refused.to_string(),
        "the model's chat template refuses this conversation: roles must alternate"
    );
}

#[test]
fn hostile_templates_are_stopped() {
    let long = "x".repeat((1 << 20) + 1);
    assert!(matches!(ChatTemplate::new(&long), Err(ChatError::TemplateTooLong { .. })));
    let loops = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{{ a }}{% endfor %}{% endfor %}{% endfor %}";
    assert!(matches!(render(loops, ChatOptions::default()), Err(ChatError::LimitReached)));
    for doubled in ["ns.s ~ ns.s", "ns.s + ns.s", "ns.s.replace('x', 'xx')"] {
        let growth = format!(
            "{{% set ns = namespace(s='xxxx') %}}{{% for i in range(60) %}}{{% set ns.s = {doubled} %}}{{% endfor %}}"
        );
        assert!(matches!(render(&growth, ChatOptions::default()), Err(ChatError::LimitReached)), "{doubled}");
    }
    let recursion = "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}";
    assert!(render(recursion, ChatOptions::default()).is_err());
    let deep = "{{ ".to_owned() + &"(".repeat(100_000) + "1" + &")".repeat(100_000) + " }}";
    assert!(ChatTemplate::new(&deep).is_err());
}
