//! The panel beside the stage: what is chosen, or how to use the graph.

use super::stage::Stage;
use crate::state::graph::details::{Details, Link, details};
use leptos::prelude::*;
use studio_graph::{GroupId, Item};

/// What is chosen.
#[component]
pub(super) fn Panel(stage: Stage) -> impl IntoView {
    let body = move || {
        let found = stage.with(|explorer| {
            let item = explorer.chosen()?;
            let drawn = explorer.box_item(item)?;
            Some((
                drawn,
                explorer.view().is_open(drawn),
                details(explorer, if matches!(drawn, Item::Group(_)) { drawn } else { item }),
            ))
        });
        match found {
            Some((item, open, details)) => chosen(stage, item, open, details).into_any(),
            None => view! { <Help/> }.into_any(),
        }
    };
    view! { <aside class="graph-panel" aria-label="What is chosen" data-testid="graph-panel">{body}</aside> }
}

fn chosen(stage: Stage, item: Item, open: bool, details: Details) -> impl IntoView {
    let Details { title, kind, path, facts, attributes, operands, users, more_users } = details;
    let path = path
        .into_iter()
        .map(|(name, item)| {
            view! { <li><button class="quiet" on:click=move |_| stage.reveal(item)>{name}</button></li> }
        })
        .collect_view();
    let opens = !matches!(item, Item::Node(_));
    let toggle = opens.then(|| {
        let words = if open { "Close" } else { "Open" };
        view! { <button data-testid="graph-toggle" on:click=move |_| stage.toggle(item)>{words}</button> }
    });
    let members = match item {
        Item::Group(group) => Some(view! { <Members stage group/> }),
        Item::Node(_) | Item::Scope(_) => None,
    };
    let fold = fold(stage, item);
    let more = (more_users > 0).then(|| view! { <p class="dim">{format!("and {more_users} more")}</p> });
    view! {
        <div class="graph-chosen">
            <ol class="graph-path" aria-label="Scopes around it">{path}</ol>
            <h3>{title}</h3>
            <p class="dim">{kind}</p>
            <div class="row">{toggle}{fold}</div>
            {members}
            {table("Facts", facts)}
            {table("Attributes", attributes)}
            {links(stage, "Reads", operands)}
            {links(stage, "Read by", users)}
            {more}
        </div>
    }
}

/// Which of the equal scopes is shown.
#[component]
fn Members(stage: Stage, group: GroupId) -> impl IntoView {
    let (count, member) = stage.peek(|inner| {
        (inner.explorer.analysis().group(group).members.len(), inner.explorer.view().member(group))
    });
    let show = move |member: usize| {
        stage.change(|inner| {
            inner.camera = inner.explorer.show_member(group, member, inner.camera);
        });
    };
    view! {
        <div class="row graph-members" role="group" aria-label="Which of the equal scopes is shown">
            <button class="quiet" aria-label="The one before" disabled=member == 0 on:click=move |_| show(member.saturating_sub(1))>"‹"</button>
            <span>{format!("{} of {count}", member + 1)}</span>
            <button class="quiet" aria-label="The next one" disabled={member + 1 == count} on:click=move |_| show(member + 1)>"›"</button>
            <button class="quiet" data-testid="graph-unfold" on:click=move |_| {
                stage.change(|inner| inner.camera = inner.explorer.set_unfolded(group, true, inner.camera));
            }>{format!("Show all {count}")}</button>
        </div>
    }
}

/// For a member that is drawn by itself: draws all as one again.
fn fold(stage: Stage, item: Item) -> Option<impl IntoView> {
    let Item::Scope(scope) = item else { return None };
    let (group, _) = stage.peek(|inner| inner.explorer.analysis().group_of(scope))?;
    Some(view! {
        <button class="quiet" on:click=move |_| {
            stage.change(|inner| {
                inner.explorer.choose(Some(Item::Group(group)));
                inner.camera = inner.explorer.set_unfolded(group, false, inner.camera);
            });
            stage.show_chosen();
        }>"Draw equal ones as one"</button>
    })
}

fn table(title: &'static str, rows: Vec<(String, String)>) -> Option<impl IntoView> {
    (!rows.is_empty()).then(|| {
        let rows = rows
            .into_iter()
            .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
            .collect_view();
        view! { <dl class="graph-facts" aria-label=title>{rows}</dl> }
    })
}

fn links(stage: Stage, title: &'static str, links: Vec<Link>) -> Option<impl IntoView> {
    (!links.is_empty()).then(|| {
        let items = links
            .into_iter()
            .map(|Link { node, text, detail }| {
                view! {
                    <li>
                        <button class="quiet" on:click=move |_| stage.reveal(Item::Node(node))>
                            <code>{text}</code>
                            <span class="dim">{detail}</span>
                        </button>
                    </li>
                }
            })
            .collect_view();
        view! { <h4>{title}</h4><ul class="graph-links">{items}</ul> }
    })
}

/// How to use the graph, while nothing is chosen.
#[component]
fn Help() -> impl IntoView {
    let keys = [
        ("Click", "choose a box; its knob opens it"),
        ("Double click", "open or close"),
        ("Drag, wheel", "move; with Ctrl, zoom"),
        ("Arrows", "walk along edges"),
        ("Enter", "open or close"),
        ("Backspace", "go out"),
        ("/", "search"),
        ("+ − 0", "zoom, see all"),
        ("Esc", "choose nothing"),
    ];
    let rows = keys.map(|(key, words)| view! { <div><dt>{key}</dt><dd>{words}</dd></div> }).collect_view();
    view! {
        <div class="graph-help">
            <p>"Equal layers are one box with their number. Weights stand on the operation that reads them; values that every layer reads are named there."</p>
            <dl class="graph-facts" aria-label="Keys">{rows}</dl>
        </div>
    }
}
